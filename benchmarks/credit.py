"""Credit by size: exact and sampled values of a raid, by replays, and values of a table."""

from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figure, in_turn
from shapley_coop.credit.values.sampling import sample_shapley
from shapley_coop.credit.values.shapley import shapley
from shapley_coop.games import Game, Turn, load

TARGET = 0.10
"""The error that sampling must reach, as a fraction of the mean share."""

BUDGET = 2_000_000
Worths = Callable[[NDArray[np.bool_]], NDArray[np.float64]]


def credit(
    repeats: int = 5, exactly: int = 16, sampled: int = 100, players: int = 20
) -> list[Figure]:
    """Measure Shapley values of a raid, exact and sampled to a tenth, and of a table of 2ⁿ worths.

    Args:
        repeats: the number of repetitions of each measurement.
        exactly: the number of heroes of the raid of which every coalition is replayed.
        sampled: the number of heroes of the raid whose values are sampled.
        players: the number of players of the table.
    """
    bounds = {
        f"credit of a raid, exact by replay, n = {exactly}": (0.3, 0.9),
        f"credit of a raid, sampled to {TARGET:.0%} of the mean share, n = {sampled}": (2, 5),
        f"Shapley values of a table of 2^{players} worths": (0.05, 0.05),
    }
    worths = np.random.default_rng(players).random(2**players)
    calls: list[Callable[[], object]] = [
        partial(_replayed, *_raid(exactly)),
        partial(_sampled, *_raid(sampled)),
        partial(shapley, worths),
    ]
    named = dict(zip(bounds, calls, strict=True))
    times: dict[str, list[float]] = {name: [] for name in named}
    for name, took in in_turn(times, repeats):
        began = perf_counter()
        named[name]()
        took.append(perf_counter() - began)
    return [Figure(name, median(times[name]), "s", *bounds[name]) for name in bounds]


def _raid(heroes: int) -> tuple[Game, list[Turn]]:
    """Return a raid that is won, scaled to its heroes: one taunts in rotation, others strike."""
    params: dict[str, Any] = {"heroes": heroes, "boss_hp": 500 * heroes}
    game = load("raid_battle", params, seed=1)
    position, record = game.start(), list[Turn]()
    while not game.over(position):
        turn = len(record) + 1
        actions = {
            agent: "Taunt" if i == (turn - 1) % heroes else "Fireball"
            for i, agent in enumerate(game.agents)
            if game.legal(position, agent)
        }
        after = game.step(position, actions)
        record.append({"turn": turn, "actions": actions, "rewards": after.rewards})
        position = after.position
    return game, record


def _worths(game: Game, record: list[Turn]) -> Worths:
    """Return the worths of a raid's coalitions by replays, in a new game without a cache."""
    fresh = load("raid_battle", game.params.model_dump(), seed=1)
    return fresh.analysis.batch_worth(record)


def _replayed(game: Game, record: list[Turn]) -> None:
    n = len(game.agents)
    members = (np.arange(1 << n)[:, None] & (1 << np.arange(n))).astype(bool)
    shapley(_worths(game, record)(members))


def _sampled(game: Game, record: list[Turn]) -> None:
    n, worth = len(game.agents), _worths(game, record)
    nobody, everybody = worth(np.array([np.zeros(n, dtype=bool), np.ones(n, dtype=bool)]))
    target = TARGET * abs(float(everybody - nobody)) / n
    found = sample_shapley(n, worth, target_error=target, budget=BUDGET)
    assert found.reached, "the budget is large enough"
