"""What a member of a group is shown where delegates bargain: a ballot, and its part of a deal.

Each gives facts of one letter: (turn, agent) → facts. The letter of a member grows neither with the
agents nor with the clauses, unless what the deal pays is not computed.
"""

from functools import lru_cache
from typing import Any

from shapley_coop.deals.analysis.outlook_rows import breaks
from shapley_coop.deals.language.clauses import lines_of
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.deals.parties import concerns
from shapley_coop.state.additions import shown as added
from shapley_coop.state.groups import group_of
from shapley_coop.state.messages import parties
from shapley_coop.state.turn import TurnContext


def delegation(turn: TurnContext, agent: str) -> dict[str, Any]:
    """For whom an agent bargains as a delegate, where agents are in groups."""
    group = group_of(turn.table, agent)
    if group is None or group["delegate"] != agent:
        return {}
    return {"represents": [one for one in group["members"] if one != agent]}


def ballot(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return a member's group, and who can be its delegate."""
    group = group_of(turn.table, agent)
    assert group is not None, "only members of a group vote"
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
    """What the delegates' deal means for one member; all of it where that is not computed."""
    offer, group = turn.evaluated.offer, group_of(turn.table, agent)
    assert offer is not None, "members sign the offer that stands"
    assert group is not None, "everybody is in a group"
    deal = Deal.of(offer["deal"])
    private = turn.evaluated.game.analysis.ahead.own_payoffs_only
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
    if computed:
        shown["outlook"] = own_outlook(computed, agent)
    facts: dict[str, Any] = {"offer": shown, "delegate": group["delegate"]}
    signing = parties(turn.table, turn.evaluated.turn, offer["revision"])
    facts["unsigned"] = [one for one in turn.evaluated.agents if one not in signing]
    return {**facts, "leaving": _leaving(turn, deal), **added(turn, agent)}


@lru_cache(maxsize=64)  # computed once for all members, unless each knows its own payoffs alone
def _outlook(turn: TurnContext, viewer: str) -> dict[str, Any]:
    offer = turn.evaluated.offer
    assert offer is not None, "members sign the offer that stands"
    return turn.evaluated.outlook(Deal.of(offer["deal"]), viewer)


def own_outlook(found: dict[str, Any], agent: str) -> dict[str, Any]:
    """Return what an agent gets if all keep a deal, if it breaks it, and without it.

    Args:
        found: a `DealOutlook` with rows, as plain JSON.
        agent: whom it is shown to.
    """
    kept: dict[str, Any] = {
        key: found[key] for key in ("exact", "plays", "assumes") if key in found
    }
    rows = (_own_row(row, agent) for row in found["rows"] if agent in row["payoffs"])
    return {**kept, "rows": [row for row in rows if row]}


def _own_row(row: dict[str, Any], agent: str) -> dict[str, Any]:
    """Return a row as it concerns an agent, who may stand for an equal; empty if it does not."""
    alike = row.get("alike", [])
    if row["who"] not in ("", agent) and agent not in alike:
        return {}
    payoff = row["payoffs"][row["who"] or agent]
    told = {key: x for key, x in row.items() if key != "alike"}
    named = {"who": agent, "if": breaks(agent)} if row["who"] else {}
    return {**told, **named, "payoffs": {agent: payoff}}


def _leaving(turn: TurnContext, deal: Deal) -> str:
    """Return what becomes of a deal that one member leaves: `reduced`, or `vetoed`."""
    last = turn.table["round"] >= 2 * turn.evaluated.config.rounds
    return "vetoed" if deal.split or turn.evaluated.contract or last else "reduced"
