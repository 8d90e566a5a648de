"""Pass on: in round robin the next agent answers what stands, or proposes where nothing does."""

from collections.abc import Awaitable, Callable
from typing import Any

from shapley_coop.deals.language.deal import unanimous
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import Table


def pass_on(
    turns: Callable[[EvaluatedTable], int] | None = None,
) -> Callable[[Table], Awaitable[dict[str, Any]]]:
    """Return a node that gives the turn to the next agent.

    Verdicts: `agreed` (all accepted the same clauses), `in_words` (all accepted an offer without
    clauses), `respond`, `propose`, and `no_deal` (the turns are used up).

    Args:
        turns: how many a talk has in which each message is a round, and an offer stands until
            another takes its place. By default a round is a turn of each agent, the run says how
            many there are, and an offer lapses that comes back to its author.
    """

    async def give_turn(table: Table) -> dict[str, Any]:
        agents, offer, evaluated = table["agents"], table["offer"], EvaluatedTable(table)
        if offer is not None and unanimous(offer, agents):
            return {"verdict": "agreed" if offer["deal"]["clauses"] else "in_words"}
        at = (agents.index(table["speaker"]) + 1) % len(agents)
        round_ = table["round"] + (turns is not None or at == 0)
        if round_ > (turns(evaluated) if turns else evaluated.config.rounds):
            return {"verdict": "no_deal", "offer": None}
        answers = offer is not None and offer["by"] != agents[at]
        return {
            "verdict": "respond" if answers else "propose",
            "offer": offer if answers or turns else None,
            "speaker": agents[at],
            "round": round_,
        }

    return give_turn
