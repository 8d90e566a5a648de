"""Pass on: in round robin the next agent answers what stands, or proposes where nothing does."""

from typing import Any

from shapley_coop.deals.language.deal import unanimous
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import Table


async def pass_on(table: Table) -> dict[str, Any]:
    """Give the turn to the next agent.

    Verdicts: `agreed` (all accepted the same clauses), `in_words` (all accepted the same words),
    `respond`, `propose`, and `no_deal` (every agent has had its turns).
    """
    agents, offer, round_ = table["agents"], table["offer"], table["round"]
    if offer is not None and unanimous(offer, agents):
        return {"verdict": "agreed" if offer["deal"]["clauses"] else "in_words"}
    at = agents.index(table["speaker"]) + 1
    if at == len(agents):
        at, round_ = 0, round_ + 1
    if round_ > EvaluatedTable(table).config.rounds:
        return {"verdict": "no_deal", "offer": None}
    # An offer that comes back to its author was not accepted by all: it lapses.
    standing = offer if offer and offer["by"] != agents[at] else None
    verdict = "respond" if standing else "propose"
    return {"verdict": verdict, "offer": standing, "speaker": agents[at], "round": round_}
