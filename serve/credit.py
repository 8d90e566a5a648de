"""Who claims what, what the record shows, and who is least satisfied with what it got."""

from fractions import Fraction
from functools import partial
from typing import Any

from credit import members, worth_table
from state import Table, game_of
from state.result import MICRO

SMALL = 8
"""Up to so many agents every coalition is looked at, each time the page is drawn."""


def credit_view(table: Table, outcome: dict[str, Any]) -> dict[str, Any]:
    """An agent a row: claim, record, Shapley value with its error, reward, payoff.

    An agent's gap is its payoff less its Shapley value; least satisfied is whose gap is lowest.

    Args:
        table: a settled table.
        outcome: its result (`state.result`).
    """
    credit, errors = outcome["credit"], outcome["credit"]["standard_error"] or {}
    rows = [
        {
            "agent": agent,
            "claim": credit["claims"].get(agent),
            "shapley": credit["shapley"][agent],
            "error": errors.get(agent),
            "reward": outcome["rewards"].get(agent, 0.0),
            "payoff": outcome["payoffs"][agent],
            "gap": outcome["payoffs"][agent] - credit["shapley"][agent],
        }
        for agent in outcome["agents"]
    ]
    lowest = min(row["gap"] for row in rows)
    level = max(row["gap"] for row in rows) - lowest < 1 / MICRO
    return {
        "method": credit["method"],
        "total": credit["worth_of_all"],
        "rows": rows,
        "least": [] if level else [row["agent"] for row in rows if row["gap"] == lowest],
        "complaint": _complaint(table, outcome["payoffs"]),
    }


def _complaint(table: Table, payoffs: dict[str, float]) -> dict[str, Any] | None:
    """The coalition with the greatest excess e(C) = v(C) − x(C), 0 < |C| < n.

    A positive excess says that it could do better by itself: the payoffs are outside the core.
    """
    game = game_of(table["settings"])
    if len(game.agents) > SMALL:
        return None
    worth = worth_table(game.agents, partial(game.worth, table.get("record", [])))
    paid = {agent: Fraction(str(payoffs[agent])) for agent in game.agents}

    def excess(mask: int) -> Fraction:
        return Fraction(worth[mask]) - sum(paid[agent] for agent in members(mask, game.agents))

    # The smallest of those that complain alike: the first mask.
    loudest = max(range(1, len(worth) - 1), key=excess)
    return {"members": list(members(loudest, game.agents)), "excess": float(excess(loudest))}
