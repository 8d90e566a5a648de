"""The credit of each agent by the record, with its conduct, its claim and its payoff."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.evals.measures.coalitions import SMALL, worths
from shapley_coop.extensions.page.complaint import complaint
from shapley_coop.extensions.page.conduct import conduct_view
from shapley_coop.extensions.page.waterfall import waterfall
from shapley_coop.extras import LibraryMissing
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outcome import no_value, values_of

NORMS = {
    "shapley": "Shapley value",
    "nucleolus": "nucleolus",
    "proportional": "proportional split",
    "equal": "equal split",
}
"""The norms that payoffs are compared with, by their usual names."""

EXACT = 2 / MICRO
"""Amounts in the game's unit that differ by less than this are equal up to rounding."""


def credit_view(evaluated: EvaluatedTable, outcome: dict[str, Any]) -> dict[str, Any]:
    """Return a run's credit; its `rows` give each agent's conduct, claim, value and payoff.

    `due` is the agent's payoff under the Shapley norm: its baseline plus its Shapley value. If the
    game's worths have another unit than payoffs, the Shapley values divide the total instead. `gap`
    is the payoff minus `due`. `least` names the agents with the smallest gap.

    Args:
        evaluated: the state of a settled run, and the values computed from it.
        outcome: the run's result (`state.result`).
    """
    credit = outcome["credit"]
    undefined = no_value(credit)
    rows = _rows(evaluated, outcome)
    lowest = min(row["gap"] for row in rows)
    level = max(row["gap"] for row in rows) - lowest < EXACT
    return {
        "rule": credit["rule"],
        "method": credit["method"],
        "total": credit["worth_of_all"],
        "nothing": float(evaluated.characteristic.worth(frozenset())),
        "baseline": credit["baseline"],
        "alone": credit["alone"],
        "rows": rows,
        "least": [] if level else [row["agent"] for row in rows if row["gap"] == lowest],
        "no_value": undefined,
        **({"norms": None} if undefined else _norms(evaluated, outcome["payoffs"])),
        "complaint": None if undefined else complaint(evaluated, outcome["payoffs"]),
        "worths": worths(evaluated),
        "waterfall": waterfall(evaluated),
    }


def _rows(evaluated: EvaluatedTable, outcome: dict[str, Any]) -> list[dict[str, Any]]:
    credit, due, did = outcome["credit"], by_shapley(evaluated), conduct_view(evaluated)
    return [
        {
            "agent": agent,
            "conduct": did[agent],
            "claim": credit["claims"].get(agent),
            "marginal": credit["marginal"][agent],
            "leave_one_out": credit["leave_one_out"][agent],
            "shapley": values_of(credit).get(agent),
            "value_error": (credit["standard_error"] or {}).get(agent),
            "due": due[agent],
            "error": _error(credit, agent, due[agent]),
            "reward": outcome["rewards"].get(agent, 0.0),
            "payoff": outcome["payoffs"][agent],
            "gap": outcome["payoffs"][agent] - due[agent],
        }
        for agent in outcome["agents"]
    ]


def by_shapley(evaluated: EvaluatedTable) -> dict[str, float]:
    """Return each agent's payoff if the total were split by the Shapley values of the record."""
    return {agent: float(x) for agent, x in evaluated.payoffs_by("shapley").items()}


def _error(credit: dict[str, Any], agent: str, due: float) -> float | None:
    """Return the standard error of the amount due, in the unit of payoffs.

    With a baseline, the result is the error of the value, because the baseline is exact. Without a
    baseline, values may have another unit than payoffs, so the error is scaled by due / value.
    """
    error, value = (credit["standard_error"] or {}).get(agent), credit["shapley"][agent]
    if credit["alone"] is not None:
        return error
    return error if not error or not value else abs(error * due / value)


def _norms(evaluated: EvaluatedTable, paid: dict[str, float]) -> dict[str, Any]:
    """Return each norm's amounts due; `norms` is None with more than `SMALL` agents."""
    agents = evaluated.agents
    if len(agents) > SMALL:
        return {"norms": None}
    norms, absent = [], []
    for name, called in NORMS.items():
        try:
            by = evaluated.payoffs_by(name)
        except LibraryMissing as reason:
            absent.append(str(reason))
            continue
        norms.append(
            {"norm": called, **_compare([by[a] for a in agents], [paid[a] for a in agents])}
        )
    return {"norms": norms, "not_compared": absent} if absent else {"norms": norms}


def _compare(due: Sequence[Fraction], paid: Sequence[float]) -> dict[str, Any]:
    """Return the amounts due, and their greatest absolute difference from the payoffs."""
    gap = max(abs(got - float(part)) for got, part in zip(paid, due, strict=True))
    return {"due": [float(part) for part in due], "gap": gap if gap >= EXACT else 0.0}
