"""The ablation of Shapley-Coop: one game, four conditions, many seeds.

>>> from shapley_coop.evals.papers.conditions import CONDITIONS
>>> list(CONDITIONS.values())
['LLM-only', 'LLM+NEG', 'LLM+STS', 'LLM+SC']
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from statistics import fmean
from typing import Any

from shapley_coop.graphs.running import play
from shapley_coop.state import RunConfig

CONDITIONS = {
    "llm_only": "LLM-only",
    "negotiation": "LLM+NEG",
    "short_term": "LLM+STS",
    "shapley_coop": "LLM+SC",
}
"""Workflow → the paper's name of the condition."""

AT_ONCE = 4
"""Runs that are played side by side; while one waits for its model or its disk, others go on."""


@dataclass(frozen=True)
class Row:
    """One condition over all seeds.

    Attributes:
        condition: the paper's name.
        runs: how many there are.
        cooperated: the part of runs whose collective payoff is the best of all conditions' runs.
        agreed: the part of runs that signed a contract or a redistribution.
        payoffs: agent → mean payoff, in the game's unit.
        shapley_distance: mean over runs of the mean absolute distance between an agent's payoff
            and its Shapley value in that run; small where little was earned, too.
        fair_distance: the same against the Shapley split of the best collective payoff seen.
        turns: mean turns played.
        calls: mean calls to seats.
        tokens: mean tokens in and out.
    """

    condition: str
    runs: int
    cooperated: float
    agreed: float
    payoffs: dict[str, float]
    shapley_distance: float
    fair_distance: float
    turns: float
    calls: float
    tokens: float


async def run_conditions(
    room: RunConfig, seeds: Sequence[int], done: Callable[[], Any] = lambda: None
) -> dict[str, list[dict[str, Any]]]:
    """Play every condition on every seed, a few runs at once.

    Args:
        room: what is played; its seed is replaced.
        seeds: one run each.
        done: called after each run.
    """
    free = asyncio.Semaphore(AT_ONCE)

    async def one(graph: str, seed: int) -> dict[str, Any]:
        async with free:
            outcome = await play(graph, room.model_copy(update={"seed": seed}))
        done()
        return outcome

    return {
        graph: list(await asyncio.gather(*(one(graph, seed) for seed in seeds)))
        for graph in CONDITIONS
    }


def summarise(results: dict[str, list[dict[str, Any]]]) -> list[Row]:
    """One row a condition."""
    outcomes = [outcome for runs in results.values() for outcome in runs]
    best = max(outcomes, key=lambda o: (o["credit"]["worth_of_all"], o["seed"]))
    return [_row(CONDITIONS[graph], runs, best["credit"]) for graph, runs in results.items()]


def _row(condition: str, runs: list[dict[str, Any]], best: dict[str, Any]) -> Row:
    agents = runs[0]["agents"]
    return Row(
        condition=condition,
        runs=len(runs),
        cooperated=fmean(r["credit"]["worth_of_all"] >= best["worth_of_all"] - 1e-9 for r in runs),
        agreed=fmean(r["status"] == "agreed" for r in runs),
        payoffs={a: fmean(r["payoffs"][a] for r in runs) for a in agents},
        shapley_distance=fmean(_distance(r["payoffs"], r["credit"]["shapley"]) for r in runs),
        fair_distance=fmean(_distance(r["payoffs"], best["shapley"]) for r in runs),
        turns=fmean(r["turns_played"] for r in runs),
        calls=fmean(r["usage"]["calls"] for r in runs),
        tokens=fmean(r["usage"]["input_tokens"] + r["usage"]["output_tokens"] for r in runs),
    )


def _distance(payoffs: dict[str, float], values: dict[str, float]) -> float:
    return fmean(abs(payoffs[a] - values[a]) for a in payoffs) if payoffs else nan
