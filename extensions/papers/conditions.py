"""The ablation in the Shapley-Coop paper: one game, played under four conditions and many seeds.

>>> from shapley_coop.extensions.papers.conditions import CONDITIONS
>>> list(CONDITIONS.values())
['LLM-only', 'LLM+NEG', 'LLM+STS', 'LLM+SC']
"""

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from statistics import fmean
from typing import Any

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.evals.measures.payoffs import EPSILON, due_by_shapley, mean_distance
from shapley_coop.extensions.reports.summary import conditions
from shapley_coop.extensions.sweeps.suite import Suite

CONDITIONS = {
    "llm_only": "LLM-only",
    "negotiation": "LLM+NEG",
    "short_term": "LLM+STS",
    "shapley_coop": "LLM+SC",
}
"""Workflow → the paper's name of the condition."""


def ablation(base: Mapping[str, Any], seeds: Iterable[int]) -> Suite:
    """Return the suite that plays each condition on each seed; `base` sets the game and seats."""
    vary: Any = {"graph": list(CONDITIONS)}
    return Suite(name="demo", base=dict(base), vary=vary, seeds=list(seeds))


def summarise(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return one line for each condition, as plain JSON.

    Returns:
        {"condition", "runs", "cooperated": the share of runs whose total reward is the best among
        all conditions' runs, "agreed": the share of runs with a contract, "payoffs": agent → mean,
        "shapley_distance": the mean absolute distance between an agent's payoff and its Shapley
        value in the same run, "fair_distance": the same distance to the Shapley split of the run
        with the best collective payoff, "turns", "calls", "tokens": means}.
    """
    best = max(rows, key=lambda row: (_earned(row), row["seed"]))
    fair = due_by_shapley(best)
    return [
        {
            "condition": CONDITIONS[group.labels["graph"]],
            "runs": len(runs := group.rows),
            "cooperated": fmean(_earned(row) >= _earned(best) - EPSILON for row in runs),
            "agreed": fmean(row["result"]["status"] == "agreed" for row in runs),
            "payoffs": {a: _mean(runs, f"payoff:{a}") for a in runs[0]["result"]["agents"]},
            "shapley_distance": _mean(runs, "shapley_distance"),
            "fair_distance": fmean(mean_distance(row["result"]["payoffs"], fair) for row in runs),
            **{column: _mean(runs, column) for column in ("turns", "calls", "tokens")},
        }
        for group in conditions(rows, ["graph"])
    ]


def _earned(row: Row) -> float:
    """Return the sum of all agents' rewards in a run."""
    return float(sum(row["result"]["rewards"].values()))


def _mean(rows: Sequence[Row], column: str) -> float:
    known = [value for row in rows if (value := score(row, column)) is not None]
    return fmean(known) if known else nan
