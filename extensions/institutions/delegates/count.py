"""The node `count`: it counts members' signatures, vetoes and departures on the delegates' deal."""

from collections.abc import Sequence
from typing import Any

from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.extensions.institutions.delegates.parting import without
from shapley_coop.extensions.institutions.delegates.table import Group, GroupsTable
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.messages import Utterance, count_answers, entries
from shapley_coop.state.run_config import SUMMARISER
from shapley_coop.state.table import AgentOutput

MOST_NAMED = 8
"""The most members without a signature that letters name."""

PLAN = "plan"
"""The topic of messages about deals before the play."""


async def count(table: GroupsTable) -> dict[str, Any]:
    """Count signatures: the deal binds once all members that stay in it have signed.

    A member leaves if it says so or gives no readable answer. The clauses that concern the member
    are then dropped. While rounds are left, the other members are asked to sign the other clauses.
    Leaving is a veto if no clause would remain, or if the deal splits the total or amends a
    contract.

    Verdicts: `signed`, `reduced` (the other members have to sign the rest of the deal), `vetoed`
    (the groups of vetoing members choose new delegates, and bargaining begins again) and `no_deal`
    (no round or budget is left for bargaining).
    """
    offer, answers = count_answers(table["offer"], table.get("answers", {}))
    assert offer is not None, "signatures are asked for an offer that all delegates accepted"
    asked = [agent for agent in table["agents"] if agent in answers]
    leaving = [agent for agent in asked if answers[agent]["act"] in ("leave", "pass")]
    vetoing = [agent for agent in asked if answers[agent]["act"] == "reject"]
    rest = None
    again = table["round"] < 2 * EvaluatedTable(table).config.rounds
    if leaving and not vetoing and again and not table.get("contract"):
        rest = without(Deal.of(offer["deal"]), leaving, table["agents"])
    heard = [Utterance(agent, answers[agent], about=offer["revision"]) for agent in asked]
    if rest:
        return _reduced(table, rest, heard)
    talk = entries(table, PLAN, heard)
    if not leaving and not vetoing:
        return {"talk": talk, "answers": None, "offer": offer, "verdict": "signed"}
    return {"talk": talk, "answers": None, "offer": None, **_vetoed(table, [*vetoing, *leaving])}


def _reduced(table: GroupsTable, rest: Deal, heard: Sequence[Utterance]) -> dict[str, Any]:
    """Return the table's update that asks the remaining members to sign the rest of the deal."""
    revision = table["revision"] + 1
    written: AgentOutput = {"act": "write", "text": "", "deal": rest.record()}
    put_by_code = Utterance(SUMMARISER, written, puts=revision)
    return {
        "talk": entries(table, PLAN, [*heard, put_by_code]),
        "answers": None,
        "offer": put(rest, SUMMARISER, revision),
        "revision": revision,
        "round": table["round"] + 1,
        "verdict": "reduced",
    }


def _vetoed(table: GroupsTable, by: Sequence[str]) -> dict[str, Any]:
    evaluated = EvaluatedTable(table)
    if table["round"] >= evaluated.config.rounds or evaluated.budget_spent:
        named = by if len(by) <= MOST_NAMED else [*by[:MOST_NAMED], f"{len(by) - MOST_NAMED} more"]
        why = f"The delegates agreed, but the deal was not signed by {', '.join(named)}"
        return {"lapsed": why, "verdict": "no_deal"}
    recalled: list[Group] = [
        {**group, "delegate": "", "votes": {}} if set(by) & set(group["members"]) else group
        for group in table["groups"]
    ]
    return {"groups": recalled, "round": table["round"] + 1, "verdict": "vetoed"}
