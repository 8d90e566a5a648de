"""Scores of the agents' reasoning before bargaining, by comparison with the game and the record.

Short-term reasoning (Shapley-Coop, section 3) has three results, each with a true value:

- The collective payoff: the best total that was still possible at that turn. The true value is
  found by a search over all sequences of actions, and is unknown in a large game.
- The sign of the externality: whether the agent's actions raise the other agents' total, which
  includes their part of the pot. The comparison is a replay in which the agent plays its baseline.
- The price: the agent's payoff due by Shapley value and baseline, minus its earnings.

The true signs and prices come from the record, so they measure actual actions, not plans.
Reasoning is private and is read from the operator's journal after the run.
"""

import asyncio
from collections.abc import Iterable, Mapping
from fractions import Fraction
from statistics import fmean
from typing import Any

import numpy as np

from shapley_coop.amounts import exact
from shapley_coop.games import GameError
from shapley_coop.games.reference_points import best_total
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.records import Entry
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.reasons import Reasons, reasons_of
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import Table

Scored = dict[str, Any]


def score_reasons(table: Table, entries: Iterable[Entry]) -> list[Scored]:
    """Return the agents' estimates in a finished run, and the true values, in the game's unit.

    Args:
        table: the run's last state.
        entries: entries of the operator's journal.

    Returns:
        One dict per "turn" and "agent", sorted by both. The agent's "collective", "externality" and
        "price" have the true values "best", "recorded" and "fair"; None if unstated or unknown.
    """
    agents = table["agents"]
    kept = sorted(
        table.get("reasoned", []), key=lambda one: (one["turn"], agents.index(one["agent"]))
    )
    if not kept:
        return []
    answers = {(e.agent, e.letter, e.attempt): e.answer.text for e in entries}
    truth, found = _Truth(EvaluatedTable(table)), []
    for one in kept:
        at = one["pointer"]
        answer = answers.get((one["agent"], at["letter"], at["attempt"]))
        if answer is not None and (reasons := reasons_of(answer)):
            found.append(truth.beside(one["agent"], one["turn"], reasons))
    return found


async def record_and_reasons(run: Run) -> dict[str, Any]:
    """Return a run's record and any results of `score_reasons`, which `--json` adds to its result.

    Only the operator may see these results, because they quote private answers in the journal.
    """
    table = await table_of(run)
    entries = await asyncio.to_thread(lambda: list(home().journal.entries(table["episode"])))
    found = await asyncio.to_thread(score_reasons, table, entries)
    return {"record": table.get("record", []), **({"reasons": found} if found else {})}


def scored_again(table: Table, told: Iterable[Scored]) -> list[Scored]:
    """Return earlier results of `score_reasons`, with true values recomputed from the record."""
    truth = _Truth(EvaluatedTable(table))
    return [truth.beside(one["agent"], one["turn"], _worked_out(one)) for one in told]


def _worked_out(told: Scored) -> Reasons:
    return Reasons(
        **{key: None if told[key] is None else exact(told[key]) for key in ("collective", "price")},
        externality=told["externality"],
    )


def measures(reasons: Iterable[Mapping[str, Any]]) -> dict[str, float | None]:
    """Return the mean errors over a run, by the names of measures in suites and reports.

    Args:
        reasons: the results of `score_reasons`.
    """
    told = list(reasons)
    return {
        "payoff_estimate_error": _gap(told, "collective", "best"),
        "externality_right": _mean(
            float(one["externality"] == one["recorded"])
            for one in told
            if None not in (one["externality"], one["recorded"])
        ),
        "price_error": _gap(told, "price", "fair"),
    }


class _Truth:
    """The true values of the quantities that agents estimated, computed from a finished run."""

    def __init__(self, evaluated: EvaluatedTable) -> None:
        self._evaluated = evaluated
        self._due = evaluated.payoffs_by("shapley")
        self._best: dict[int, float | None] = {}

    def beside(self, agent: str, turn: int, reasons: Reasons) -> Scored:
        if turn not in self._best:
            self._best[turn] = self._best_from(turn)
        return {
            "agent": agent,
            "turn": turn,
            "collective": _number(reasons.collective),
            "best": self._best[turn],
            "externality": reasons.externality,
            "recorded": self._sign(agent),
            "price": _number(reasons.price),
            "fair": float(self._due[agent] - self._evaluated.earned[agent]),
        }

    def _best_from(self, turn: int) -> float | None:
        """Return the best total still possible after the actions before a turn; None if unknown."""
        game, before = self._evaluated.game, self._evaluated.record[: turn - 1]
        if not before:
            return game.analysis.reference_points.best
        position = game.start()
        for after in game.analysis.replay(before):
            position = after.position
        rest = best_total(game, position)
        if rest is None:
            return None
        pots = [exact(played.get("pot", 0)) for played in before]
        own = [exact(x) for played in before for x in played["rewards"].values()]
        return float(sum(pots + own)) + rest

    def _sign(self, agent: str) -> str | None:
        """Return the sign of an agent's externality ("+", "-" or "0"), or None if it is unknown."""
        evaluated = self._evaluated
        try:
            replays = evaluated.game.analysis.replays_of(evaluated.record)
        except GameError:  # this game cannot be replayed without one of its agents
            return None
        there = np.ones(len(evaluated.agents), dtype=np.bool_)
        with_it = replays.of(there)
        there[evaluated.agents.index(agent)] = False
        without = replays.of(there)
        gain = sum(with_it[a] - without[a] for a in evaluated.agents if a != agent)
        return "+" if gain > 0 else "-" if gain < 0 else "0"


def _gap(told: Iterable[Mapping[str, Any]], said: str, truth: str) -> float | None:
    return _mean(abs(one[said] - one[truth]) for one in told if None not in (one[said], one[truth]))


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None


def _number(amount: Fraction | None) -> float | None:
    return None if amount is None else float(amount)
