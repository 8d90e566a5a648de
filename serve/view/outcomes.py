"""The payoff matrix, and the points of the utility plane."""

from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.deals import Deal
from shapley_coop.games import Game
from shapley_coop.serve.view.clauses import in_words
from shapley_coop.serve.view.credit import by_shapley
from shapley_coop.state import Table, game_of
from shapley_coop.state.characteristic import alone

MOST_CELLS = 256


def payoff_matrix(table: Table) -> dict[str, Any] | None:
    """Every joint action of a small normal-form game: payoffs, efficiency, times played."""
    game = game_of(table["settings"])
    facts = game.facts()
    cells = facts.get("payoffs")
    if not isinstance(cells, list) or not 0 < len(cells) <= MOST_CELLS:
        return None
    played = [turn["actions"] for turn in table.get("record", [])]
    best = max(sum(cell["pays"].values()) for cell in cells)
    return {
        "actions": game.actions,
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


def outcome_view(table: Table, outcome: dict[str, Any]) -> dict[str, Any]:
    """The outcome of a settled run, with the points of the utility plane.

    The points: `alone`, what each agent can secure by itself, given only if worths are in the
    unit of payoffs;
    `earned`, before the settlement; `ended`, after it; `shapley`, by the values of the record.
    """
    settled, total = table["settlement"] or {}, sum(outcome["rewards"].values())
    deal = settled["redistribution"]
    credit = outcome["credit"]
    improved = total - sum((credit["alone"] or {}).values())
    comparable = abs(credit["worth_of_all"] - improved) < 1 / MICRO
    by_itself = {"alone": _alone(game_of(table["settings"]), table)} if comparable else {}
    return {
        "basis": settled["basis"],
        "redistribution": deal and [in_words(one) for one in Deal.model_validate(deal).clauses],
        "ledger": settled["ledger"],
        "transfers": outcome["transfers"],
        "total": total,
        "points": {
            **by_itself,
            "earned": outcome["rewards"],
            "ended": outcome["payoffs"],
            "shapley": by_shapley(table),
        },
    }


def _alone(game: Game, table: Table) -> dict[str, float]:
    return {agent: float(x) for agent, x in alone(game, table.get("record", [])).items()}


def _dominates(one: dict[str, float], other: dict[str, float]) -> bool:
    return one != other and all(one[agent] >= amount for agent, amount in other.items())
