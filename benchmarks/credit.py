"""Benchmarks of credit by size: exact values, replays of a raid, and sampled values."""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import Cell, Found, Goal, exponent, timed
from shapley_coop.credit.values.sampling import sample_shapley
from shapley_coop.credit.values.shapley import shapley
from shapley_coop.games import Game, Turn, load

TARGET = 0.10
"""The error that sampling must reach, as a fraction of the mean share."""

BUDGET = 2_000_000
Worths = Callable[[NDArray[np.bool_]], NDArray[np.float64]]


def exact(
    repeats: int = 5,
    heroes: tuple[int, ...] = (8, 12, 16),
    players: tuple[int, ...] = (12, 16, 20),
    plainly: int = 10,
) -> Found:
    """Measure exact Shapley values: from a table of 2ⁿ values, and of a raid by replays.

    Args:
        repeats: the number of repetitions of each measurement.
        heroes: the numbers of heroes in the raids, of which every coalition is replayed.
        players: the numbers of players in the tables.
        plainly: the number of players for the peer, a sum over coalitions in plain Python.
    """
    tables = [(n, timed(repeats, partial(shapley, _table(n)))) for n in players]
    raids = [(n, timed(repeats, partial(_replay, *_raid(n)))) for n in heroes]
    plain = timed(repeats, partial(_plainly, _table(plainly), plainly))
    same = timed(repeats, partial(shapley, _table(plainly)))
    rows: list[list[Cell]] = [[f"plain Python, a table, n = {plainly}", plain / same, plain]]
    rows += [[f"a table, n = {n}", None, seconds] for n, seconds in tables]
    rows += [[f"a raid by replay, n = {n}", None, seconds] for n, seconds in raids]
    biggest, seconds = raids[-1]
    return Found(
        f"Exact Shapley values. Medians of {repeats}.",
        ("what", f"× ours at n = {plainly}", "wall, s"),
        rows,
        [Goal(f"a raid, exact by replay, n = {biggest}", 0.3, seconds, "s", must=0.9)],
        [
            f"Each player more multiplies the time by {_per_player(tables):.2g} (a table) and "
            f"{_per_player(raids):.2g} (a raid), where the coalitions double.",
        ],
    )


def sampled(repeats: int = 5, heroes: tuple[int, ...] = (25, 50, 100)) -> Found:
    """Measure Shapley values sampled to a tenth of the mean share, in a smooth game and a raid."""
    rows: list[list[Cell]] = []
    seconds: dict[str, list[float]] = {"smooth": [], "raid": []}
    for n, kind in product(heroes, seconds):
        worth = _smooth(n) if kind == "smooth" else _of_raid(n)
        ends = worth(np.array([np.ones(n, dtype=bool), np.zeros(n, dtype=bool)]))
        target = TARGET * abs(float(ends[0] - ends[1])) / n
        sample = partial(sample_shapley, n, worth, target_error=target, budget=BUDGET)
        found, took = sample(), timed(repeats, sample)
        seconds[kind].append(took)
        reached = "yes" if found.reached else "**no**"
        rows.append([f"{kind}, n = {n}", None, took, found.evaluations, found.method, reached])
        rows[-1][1] = took / seconds["smooth"][-1]
    grown = {kind: exponent(heroes, times) for kind, times in seconds.items()}
    return Found(
        f"Shapley values sampled until the largest standard error is {TARGET:.0%} of the mean "
        f"share. Medians of {repeats}.",
        ("game", "× the smooth game", "wall, s", "worths asked", "method", "reached"),
        rows,
        [
            Goal(f"sampled to {TARGET:.0%}, {kind}, n = {heroes[-1]}", 5, times[-1], "s")
            for kind, times in seconds.items()
        ],
        [
            "Smooth: the square root of what the members bring. Raid: a threshold game, in which "
            "a coalition turns from losing to winning at once.",
            "Exponent of time over n: "
            + ", ".join(f"{kind} {slope:.2g}" for kind, slope in grown.items())
            + ".",
        ],
    )


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


def _replay(game: Game, record: list[Turn]) -> NDArray[np.float64]:
    """Return the values from a replay of all 2ⁿ coalitions, without a cache."""
    fresh = load("raid_battle", game.params.model_dump(), seed=1)
    n = len(game.agents)
    members = (np.arange(1 << n)[:, None] & (1 << np.arange(n))).astype(bool)
    values: NDArray[np.float64] = shapley(fresh.analysis.batch_worth(record)(members))
    return values


def _of_raid(heroes: int) -> Worths:
    game, record = _raid(heroes)
    return game.analysis.batch_worth(record)


def _smooth(n: int) -> Worths:
    brings = np.random.default_rng(n).random(n)

    def worth(members: NDArray[np.bool_]) -> NDArray[np.float64]:
        root: NDArray[np.float64] = np.sqrt(members @ brings)
        return root

    return worth


def _table(n: int) -> NDArray[np.float64]:
    worths: NDArray[np.float64] = np.random.default_rng(n).random(2**n)
    return worths


def _plainly(worths: NDArray[np.float64], n: int) -> list[float]:
    """Return φᵢ = Σ_S |S|! (n − |S| − 1)! / n! · (v(S ∪ i) − v(S)), term by term."""
    weights = [1.0 / n]
    for size in range(1, n):
        weights.append(weights[-1] * size / (n - size))
    return [
        sum(
            weights[s.bit_count()] * (worths[s | 1 << i] - worths[s])
            for s in range(1 << n)
            if not s >> i & 1
        )
        for i in range(n)
    ]


def _per_player(found: list[tuple[int, float]]) -> float:
    """Return the factor by which one more player multiplies the time."""
    (few, quick), (many, slow) = found[0], found[-1]
    return float((slow / quick) ** (1 / (many - few)))
