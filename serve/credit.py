"""Who claims what, what the record shows, and who is least satisfied with what it got."""

from fractions import Fraction
from functools import partial
from typing import Any

from credit import members, payoffs_under_norm, worth_table
from state import Table, game_of
from state.result import MICRO

SMALL = 8
"""Up to so many agents every coalition is looked at, each time the page is drawn."""


def credit_view(table: Table, outcome: dict[str, Any]) -> dict[str, Any]:
    """An agent a row: claim, record, Shapley value with its error, reward, payoff.

    What is due to an agent by its Shapley value is its payoff under that norm: the value itself
    where the values add up to the total, and its part of the total where the game's worths are in
    another unit. Least satisfied is who ended farthest below that.

    Args:
        table: a settled table.
        outcome: its result (`state.result`).
    """
    credit, due = outcome["credit"], by_shapley(table)
    rows = [
        {
            "agent": agent,
            "claim": credit["claims"].get(agent),
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
    level = max(row["gap"] for row in rows) - lowest < 2 / MICRO
    return {
        "method": credit["method"],
        "total": credit["worth_of_all"],
        "rows": rows,
        "least": [] if level else [row["agent"] for row in rows if row["gap"] == lowest],
        "complaint": _complaint(table, outcome),
    }


def by_shapley(table: Table) -> dict[str, float]:
    """Everybody's payoff if the total were split by the Shapley values of the record."""
    settled = table["settlement"] or {}
    values = {agent: Fraction(value) for agent, value in settled["credit"]["shapley"].items()}
    total = Fraction(sum(settled["rewards"].values()), MICRO)
    split = payoffs_under_norm(total, list(values.values()))
    return {agent: float(part) for agent, part in zip(values, split, strict=True)}


def _error(credit: dict[str, Any], agent: str, due: float) -> float | None:
    """The standard error of what is due, in the unit of payoffs."""
    error, value = (credit["standard_error"] or {}).get(agent), credit["shapley"][agent]
    return error if not error or not value else abs(error * due / value)


def _complaint(table: Table, outcome: dict[str, Any]) -> dict[str, Any] | None:
    """The coalition with the greatest excess e(C) = v(C) − x(C), 0 < |C| < n.

    A positive excess says that it could do better by itself: the payoffs are outside the core.
    None where v(N) is not what was paid out, so that worths and payoffs cannot be compared.
    """
    game, total = game_of(table["settings"]), sum(outcome["payoffs"].values())
    if len(game.agents) > SMALL or abs(outcome["credit"]["worth_of_all"] - total) > 1 / MICRO:
        return None
    worth = worth_table(game.agents, partial(game.worth, table.get("record", [])))
    paid = {agent: Fraction(str(outcome["payoffs"][agent])) for agent in game.agents}

    def excess(mask: int) -> Fraction:
        return Fraction(worth[mask]) - sum(paid[agent] for agent in members(mask, game.agents))

    # The smallest of those that complain alike: the first mask.
    loudest = max(range(1, len(worth) - 1), key=excess)
    return {"members": list(members(loudest, game.agents)), "excess": float(excess(loudest))}
