"""What a member of a group is shown where delegates bargain: a ballot, and its part of a deal.

Each gives facts of one letter: (turn, agent) → facts. The letter of a member grows neither with the
agents nor with the clauses, unless what the deal pays is not computed.
"""

from typing import Any

from shapley_coop.deals import Deal, sentence, wire_form
from shapley_coop.deals.parties import concerns
from shapley_coop.state.groups import group_of
from shapley_coop.state.signatures import shown_to_sign
from shapley_coop.state.turn import TurnContext


def delegation(turn: TurnContext, agent: str) -> dict[str, Any]:
    """For whom an agent bargains as a delegate, where agents are in groups."""
    group = group_of(turn.table, agent)
    if group is None or group["delegate"] != agent:
        return {}
    return {"represents": [one for one in group["members"] if one != agent]}


def ballot(turn: TurnContext, agent: str) -> dict[str, Any]:
    """A member's group, and who can be its delegate."""
    group = group_of(turn.table, agent)
    assert group is not None, "only members of a group vote"
    others = [one for one in group["members"] if one != agent]
    vetoed = [
        said["by"]
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
    deal = Deal.model_validate(offer["deal"])
    computed = turn.evaluated.outlook(deal, agent) if turn.evaluated.config.outlook else {}
    own = {i: x for i, x in deal.ids().items() if concerns(x, agent) or not computed}
    shown: dict[str, Any] = {
        "revision": offer["revision"],
        "by": offer["by"],
        "hash": offer["hash"],
        "clauses": [wire_form(clause) for clause in own.values()],
        "in_words": "\n".join(f"{cid}. {sentence(clause)}" for cid, clause in own.items()),
        "others": len(deal.clauses) - len(own),
        "drops": list(deal.drops),
    }
    if computed:
        kept = {key: computed[key] for key in ("exact", "plays", "assumes") if key in computed}
        shown["outlook"] = {**kept, "rows": _own_rows(computed["rows"], agent)}
    facts: dict[str, Any] = {"offer": shown, "delegate": group["delegate"]}
    return {**facts, "leaving": _leaving(turn, deal), **shown_to_sign(turn, agent)}


def _own_rows(rows: list[dict[str, Any]], agent: str) -> list[dict[str, Any]]:
    """The rows that say what an agent gets if all keep a deal, if it breaks it, and without it."""
    return [
        {**row, "payoffs": {agent: row["payoffs"][agent]}}
        for row in rows
        if row["who"] in ("", agent) and agent in row["payoffs"]
    ]


def _leaving(turn: TurnContext, deal: Deal) -> str:
    """What becomes of a deal that one member leaves: `reduced`, or `vetoed`."""
    last = turn.table["round"] >= 2 * turn.evaluated.config.rounds
    return "vetoed" if deal.share or turn.evaluated.contract or last else "reduced"
