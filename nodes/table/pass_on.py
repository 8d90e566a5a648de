"""The node of round-robin talk: the next agent answers the offer, or proposes if there is none."""

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
    clauses), `respond` or `propose` (for the next agent), and `no_deal` (the turns are used up, or
    too few are left for all to accept another offer).

    Args:
        turns: a function that returns the most messages of a talk. If given, each message is a
            round, and an offer stays until another replaces it. If None, each agent speaks once in
            each of the run's rounds, and an offer lapses when its author's turn comes again.
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
        if not (answers or turns) and at and round_ == evaluated.config.rounds:
            return {"verdict": "no_deal", "offer": None}  # not all would answer another offer
        return {
            "verdict": "respond" if answers else "propose",
            "offer": offer if answers or turns else None,
            "speaker": agents[at],
            "round": round_,
        }

    return give_turn
