"""The payoff matrix, and the points of the utility plane."""

from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.deals import Deal
from shapley_coop.serve.view.clauses import in_words
from shapley_coop.serve.view.credit import by_shapley
from shapley_coop.state import EvaluatedTable

MOST_CELLS = 256


def payoff_matrix(evaluated: EvaluatedTable) -> dict[str, Any] | None:
    """Every joint action of a small normal-form game: payoffs, efficiency, times played."""
    cells = evaluated.game.facts().get("payoffs")
    if not isinstance(cells, list) or not 0 < len(cells) <= MOST_CELLS:
        return None
    played = [turn["actions"] for turn in evaluated.record]
    best = max(sum(cell["pays"].values()) for cell in cells)
    return {
        "actions": evaluated.game.actions,
        "cells": [
            {
                **cell,
                "pareto": not any(_dominates(other["pays"], cell["pays"]) for other in cells),
                "best": sum(cell["pays"].values()) == best,
                "times": played.count(cell["play"]),
            }
            for cell in cells
        ],
    }


def outcome_view(evaluated: EvaluatedTable, outcome: dict[str, Any]) -> dict[str, Any]:
    """The outcome of a settled run, with the points of the utility plane.

    The points: `alone`, each agent's worth by itself, given only if v(N) is the total reward;
    `earned`, before the settlement; `ended`, after it; `shapley`, by the values of the record.
    """
    settled, total = evaluated.table["settlement"] or {}, sum(outcome["rewards"].values())
    deal, game = settled["redistribution"], evaluated.game
    comparable = abs(outcome["credit"]["worth_of_all"] - total) < 1 / MICRO
    alone = {a: float(game.worth(evaluated.record, frozenset({a}))) for a in game.agents}
    return {
        "basis": settled["basis"],
        "redistribution": deal and [in_words(one) for one in Deal.model_validate(deal).clauses],
        "ledger": settled["ledger"],
        "transfers": outcome["transfers"],
        "total": total,
        "points": {
            **({"alone": alone} if comparable else {}),
            "earned": outcome["rewards"],
            "ended": outcome["payoffs"],
            "shapley": by_shapley(evaluated),
        },
    }


def _dominates(one: dict[str, float], other: dict[str, float]) -> bool:
    return one != other and all(one[agent] >= amount for agent, amount in other.items())
