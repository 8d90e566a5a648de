"""Claims beside the record, norms beside payoffs, and the least satisfied agents."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.credit import members, payoffs_by_norm, worth_table
from shapley_coop.state import EvaluatedTable

SMALL = 8
"""With up to this many agents, each drawing of the page evaluates every coalition."""

NORMS = {
    "shapley": "Shapley value",
    "nucleolus": "nucleolus",
    "proportional": "proportional split",
    "equal": "equal split",
}
"""The norms that payoffs are compared with, by their usual names."""

EXACT = 2 / MICRO
"""Payoffs that differ by less than this, in the game's unit, differ by rounding."""


def credit_view(evaluated: EvaluatedTable, outcome: dict[str, Any]) -> dict[str, Any]:
    """One row per agent: claim, record, marginal contribution, Shapley value, reward, payoff.

    What is due to an agent is its payoff under the Shapley norm: its baseline and its value; its
    part of the total, if the game's worths are in another unit. The least
    satisfied agent ended farthest below that.

    Args:
        evaluated: a settled table.
        outcome: its result (`state.result`).
    """
    credit, due = outcome["credit"], by_shapley(evaluated)
    marginal = (evaluated.table["settlement"] or {})["credit"]["marginal"]
    rows = [
        {
            "agent": agent,
            "claim": credit["claims"].get(agent),
            "marginal": float(Fraction(marginal[agent])),
            "shapley": credit["shapley"][agent],
            "due": due[agent],
            "error": _error(credit, agent, due[agent]),
            "reward": outcome["rewards"].get(agent, 0.0),
            "payoff": outcome["payoffs"][agent],
            "gap": outcome["payoffs"][agent] - due[agent],
        }
        for agent in outcome["agents"]
    ]
    lowest = min(row["gap"] for row in rows)
    level = max(row["gap"] for row in rows) - lowest < EXACT
    return {
        "method": credit["method"],
        "total": credit["worth_of_all"],
        "nothing": float(evaluated.characteristic.worth(frozenset())),
        "baseline": credit["baseline"],
        "alone": credit["alone"],
        "rows": rows,
        "least": [] if level else [row["agent"] for row in rows if row["gap"] == lowest],
        **_coalitions(evaluated, outcome),
    }


def by_shapley(evaluated: EvaluatedTable) -> dict[str, float]:
    """Each agent's payoff if the total were split by the Shapley values of the record."""
    return {agent: float(x) for agent, x in evaluated.payoffs_by("shapley").items()}


def _error(credit: dict[str, Any], agent: str, due: float) -> float | None:
    """The standard error of the amount due, in the unit of payoffs."""
    error, value = (credit["standard_error"] or {}).get(agent), credit["shapley"][agent]
    return error if not error or not value else abs(error * due / value)


def _coalitions(evaluated: EvaluatedTable, outcome: dict[str, Any]) -> dict[str, Any]:
    """What needs the worth of every coalition: other norms, and the greatest complaint."""
    game, paid = evaluated.game, outcome["payoffs"]
    if len(game.agents) > SMALL:
        return {"norms": None, "complaint": None}
    by = payoffs_by_norm(evaluated.characteristic)
    norms = []
    for name, called in NORMS.items():
        due = [by(name, evaluated.total)[agent] for agent in game.agents]
        norms.append({"norm": called, **_compared(due, [paid[a] for a in game.agents])})
    # What a coalition can secure by itself is its potential, where the game computes it; it is
    # comparable with payoffs only if v(N) was paid out.
    secured = partial(game.potential, evaluated.record)
    comparable = (
        game.has_potential
        and abs(float(secured(frozenset(game.agents))) - sum(paid.values())) <= 1 / MICRO
    )
    return {
        "norms": norms,
        "complaint": _complaint(game.agents, secured, paid) if comparable else None,
    }


def _compared(due: Sequence[Fraction], paid: Sequence[float]) -> dict[str, Any]:
    """Each agent's amount due by a norm, and the greatest difference from its payoff."""
    gap = max(abs(got - float(part)) for got, part in zip(paid, due, strict=True))
    return {"due": [float(part) for part in due], "gap": gap if gap >= EXACT else 0.0}


def _complaint(
    agents: Sequence[str],
    secured: Callable[[frozenset[str]], Fraction],
    payoffs: dict[str, float],
) -> dict[str, Any]:
    """The coalition with the greatest excess e(C) = v(C) − x(C), 0 < |C| < n.

    With a positive excess it could do better by itself: the payoffs are outside the core.
    """
    worth = worth_table(agents, secured)
    paid = {agent: Fraction(str(payoffs[agent])) for agent in agents}

    def excess(mask: int) -> Fraction:
        return Fraction(worth[mask]) - sum(paid[agent] for agent in members(mask, agents))

    # Of equal excesses the first mask wins, which is the smallest coalition.
    greatest = max(range(1, len(worth) - 1), key=excess)
    most = float(excess(greatest))
    return {
        "members": list(members(greatest, agents)),
        "excess": most if abs(most) > EXACT else 0.0,
    }
