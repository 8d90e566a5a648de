"""`make bench`: how long credit takes, and how it grows with the number of agents.

Wall times are of this machine at this moment; the growth exponent is the slope of log time over
log size between the rows above and below it.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from math import log
from statistics import median
from typing import Any

import numpy as np

from credit import sample_shapley, shapley
from games import Game, Turn, load

REPEATS = 5
TARGET = 0.10
BUDGET = 2_000_000


def main() -> None:
    """Print the tables."""
    _say("exact Shapley values from a table of 2^n worths, median of five")
    _rows([(n, _timed(partial(shapley, _table(n)))) for n in (12, 16, 20)])
    _say(f"\nsampled Shapley values of a raid by replay, to {TARGET:.0%} of the mean share")
    rows = []
    for heroes in (10, 50, 100):
        game, record = _raid(heroes)
        worth = game.batch_worth(record)
        grand = float(worth(np.ones((1, heroes), dtype=bool))[0])
        nobody = float(worth(np.zeros((1, heroes), dtype=bool))[0])
        target = TARGET * abs(grand - nobody) / heroes
        started = time.perf_counter()
        found = sample_shapley(heroes, worth, target_error=target, budget=BUDGET)
        seconds = time.perf_counter() - started
        cost = f"{found.evaluations:>9} replays, {found.method}"
        reached = "" if found.reached else ", NOT reached"
        _say(f"  n={heroes:<4} {seconds:8.3f} s  {cost}{reached}")
        rows.append((heroes, seconds))
    _say("growth of wall time")
    _rows(rows)


def _raid(heroes: int) -> tuple[Game, list[Turn]]:
    """A raid scaled to its heroes: one taunts, in rotation, and the others strike. It is won."""
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


def _table(n: int) -> Any:
    return np.random.default_rng(n).random(2**n)


def _timed(call: Callable[[], Any]) -> float:
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return median(times)


def _rows(rows: list[tuple[int, float]]) -> None:
    for i, (n, seconds) in enumerate(rows):
        grown = ""
        if i:
            before, then = rows[i - 1]
            grown = f"  exponent {log(seconds / then) / log(n / before):.1f}"
        _say(f"  n={n:<4} {seconds:8.3f} s{grown}")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
