"""The payoff matrix of a run's game, and the points of its utility plane."""

from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.deals.language.deal import Deal
from shapley_coop.evals.transcripts.in_words import decision_words
from shapley_coop.extensions.page.clauses import in_words
from shapley_coop.extensions.page.credit import by_shapley
from shapley_coop.state.characteristic import disagreement
from shapley_coop.state.evaluated import EvaluatedTable

MOST_CELLS = 256


def payoff_matrix(evaluated: EvaluatedTable) -> dict[str, Any] | None:
    """Return a small game's joint actions: payoffs, efficiency, how often each was played."""
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
    """Return the outcome of a settled run, with the points of the utility plane.

    `how` says what decided the payoffs; it is empty if nothing was at stake.
    Each point maps agents to amounts. `earned` are the rewards before the settlement, `ended` the
    payoffs, and `shapley` the payoffs by Shapley values. If worths have the payoffs' unit, there is
    also `baseline` (rewards if no agent takes part) or `alone` (payoffs that each can secure).
    """
    settled, total = evaluated.table["settlement"] or {}, sum(outcome["rewards"].values())
    deal, credit = settled["redistribution"], outcome["credit"]
    improved = total - sum((credit["alone"] or {}).values())
    comparable = abs(credit["worth_of_all"] - improved) < 1 / MICRO
    start = _start(evaluated, credit) if comparable else {}
    return {
        "basis": settled["basis"],
        "how": f"{decision_words(outcome)}." if outcome["happened"]["at_stake"] else "",
        "redistribution": deal and [in_words(one) for one in Deal.model_validate(deal).clauses],
        "ledger": settled["ledger"],
        "transfers": outcome["transfers"],
        "total": total,
        "points": {
            **start,
            "earned": outcome["rewards"],
            "ended": outcome["payoffs"],
            "shapley": by_shapley(evaluated),
        },
    }


def _start(evaluated: EvaluatedTable, credit: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Return the point `baseline` if the rule of credit has baselines, else the point `alone`."""
    if credit["alone"]:
        return {"baseline": credit["alone"]}
    found = disagreement(evaluated.game, evaluated.record)
    return {"alone": {agent: float(x) for agent, x in found.items()}}


def _dominates(one: dict[str, float], other: dict[str, float]) -> bool:
    return one != other and all(one[agent] >= amount for agent, amount in other.items())
