"""The rate of whole negotiations between two embedded agents, on one core."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from statistics import median
from time import perf_counter

from benchmarks.figures import Figure, in_turn
from benchmarks.seats import scratch
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig

TOGETHER, ALONE = "8 at once", "one after the other"


def runs(repeats: int = 5, each: int = 20) -> list[Figure]:
    """Measure the negotiations of two embedded agents over the Escape Room that end in a second."""
    with _one_core(), scratch():
        found = asyncio.run(_rates(repeats, each))
    what = "two-agent runs a second, SQLite, one core"
    return [
        Figure(f"{what}, {TOGETHER}", found[TOGETHER], goal=60, floor=35, at_least=True),
        Figure(f"{what}, {ALONE}", found[ALONE]),
    ]


@contextmanager
def _one_core() -> Iterator[None]:
    """Keep this process on one core within the `with` block, if the system allows it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


async def _rates(repeats: int, each: int) -> dict[str, float]:
    """Return how runs are started → runs a second, by the median time of `each` of them."""
    walls: dict[str, list[float]] = {TOGETHER: [], ALONE: []}
    seeds = count()

    async def work(share: Iterator[int]) -> None:
        for seed in share:
            await play("negotiation", RunConfig(game="escape_room", seed=seed))

    async with clients():
        for name, times in in_turn(walls, repeats):
            share = islice(seeds, each)
            began = perf_counter()
            await asyncio.gather(*(work(share) for _ in range(8 if name == TOGETHER else 1)))
            times.append(perf_counter() - began)
    return {name: each / median(times) for name, times in walls.items()}
