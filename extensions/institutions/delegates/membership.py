"""The facts in a member's letter: its ballot, and its part of the delegates' deal.

Each function maps (turn, agent) to facts of a letter. If the deal's payoffs are computed, a
member's letter does not grow with the number of agents or clauses.
"""

from functools import lru_cache
from typing import Any

from shapley_coop.deals.language.clauses import lines_of
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.extensions.institutions.delegates.groups import group_of
from shapley_coop.extensions.institutions.delegates.parting import concerns, without
from shapley_coop.state.additions import show_additions as added
from shapley_coop.state.messages import parties
from shapley_coop.state.offered import MOST_OUTLOOKS, own_outlook
from shapley_coop.state.turn import TurnContext


def delegation(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return, for a delegate's letter, the other members, for whom it bargains."""
    group = group_of(turn.table, agent)
    return {"represents": [one for one in group["members"] if one != agent]}


def ballot(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return a member's group, its candidates, and the last round's refusals within the group."""
    group = group_of(turn.table, agent)
    others = [one for one in group["members"] if one != agent]
    vetoed = [
        {"by": said["by"], "says": said["text"]}
        for said in turn.table.get("talk", [])
        if said["by"] in group["members"]
        and (said["turn"], said["round"]) == (turn.evaluated.turn, turn.table["round"] - 1)
        and said["act"] in ("reject", "leave", "pass")
    ]
    return {"group": others, "legal": group["candidates"], "vetoed": vetoed}


def own_part(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the clauses that concern a member, or all clauses if payoffs are not computed."""
    offer, group = turn.evaluated.offer, group_of(turn.table, agent)
    assert offer is not None, "members sign the offer that stands"
    deal = Deal.of(offer["deal"])
    private = turn.evaluated.game.analysis.ahead.foreseeable == "own"
    computed = _outlook(turn, agent if private else "") if turn.evaluated.config.outlook else {}
    own = {i: x for i, x in deal.ids().items() if concerns(x, agent) or not computed}
    shown: dict[str, Any] = {
        "revision": offer["revision"],
        "by": offer["by"],
        "hash": offer["hash"],
        "clauses": [wire_form(clause) for clause in own.values()],
        "in_words": "\n".join(lines_of(own)),
        "others": len(deal.clauses) - len(own),
        "drops": list(deal.drops),
    }
    agents, leaving = turn.evaluated.agents, _leaving(turn, deal)
    if computed:
        shown["outlook"] = own_outlook(computed, agent)
    if leaving == "reduced" and len(agents) <= MOST_OUTLOOKS:
        rest = without(deal, [agent], agents)
        leaving = leaving if rest else "vetoed"
        if computed and rest:
            shown["outlook"]["rows"].append(_left(turn, rest, agent))
    facts: dict[str, Any] = {"offer": shown, "delegate": group["delegate"]}
    signing = parties(turn.table, turn.evaluated.turn, offer["revision"])
    facts["unsigned"] = [one for one in turn.evaluated.agents if one not in signing]
    return {**facts, "leaving": leaving, **added(turn, agent)}


def _left(turn: TurnContext, rest: Deal, agent: str) -> dict[str, Any]:
    """Return a member's payoff if it stays out and all others keep the reduced deal."""
    kept = turn.evaluated.outlook(rest, agent)["rows"][0]
    payoffs = {agent: kept["payoffs"][agent]}
    return {**kept, "if": "you stay out, and the others keep the rest", "payoffs": payoffs}


@lru_cache(maxsize=64)  # computed once for all members, if payoffs are public
def _outlook(turn: TurnContext, viewer: str) -> dict[str, Any]:
    offer = turn.evaluated.offer
    assert offer is not None, "members sign the offer that stands"
    found = turn.evaluated.outlook(Deal.of(offer["deal"]), viewer)
    return found if found["rows"] else {}


def _leaving(turn: TurnContext, deal: Deal) -> str:
    """Return the verdict that follows if a member leaves the deal: `reduced` or `vetoed`."""
    last = turn.table["round"] >= 2 * turn.evaluated.config.rounds
    return "vetoed" if deal.split or turn.evaluated.contract or last else "reduced"
