"""The rate of whole negotiations between two embedded agents, on one core."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from benchmarks.contenders import now, since
from benchmarks.seats import scratch
from benchmarks.tables import Cell, Found, Goal
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig


def runs(repeats: int = 5, each: int = 20) -> Found:
    """Measure the negotiations of two embedded agents per second, on SQLite and one core."""
    with _one_core():
        found = {at_once: asyncio.run(_runs(repeats, each, at_once)) for at_once in (1, 8)}
    rows: list[list[Cell]] = [
        [f"{at_once} at once", found[1][0] / wall, each / wall, 1000 * spent / each]
        for at_once, (wall, spent) in found.items()
    ]
    best = each / min(wall for wall, _ in found.values())
    return Found(
        f"Negotiations of two embedded agents over the Escape Room, on SQLite and one core, {each} "
        f"in a row. Medians of {repeats}.",
        ("how", "× one after the other", "runs a second", "CPU per run, ms"),
        rows,
        [Goal("two-agent runs a second, SQLite, one core", 60, best, at_least=True, must=35)],
        [
            "Each run waits for the disk several times, as what was paid for survives a power cut; "
            "runs at the same time share these waits. The rest is CPU time, of which a run may "
            "take 16 ms to reach the goal.",
        ],
    )


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


async def _runs(repeats: int, each: int, at_once: int) -> tuple[float, float]:
    """Return the median wall and CPU seconds of `each` runs, with `at_once` of them in parallel."""
    found = []
    with scratch():
        async with clients():
            for repeat in range(repeats + 1):
                seeds = iter(range(repeat * each, (repeat + 1) * each))

                async def work() -> None:
                    for seed in seeds:  # noqa: B023 - shared by the workers of this repeat
                        await play("negotiation", RunConfig(game="escape_room", seed=seed))

                began = now()
                await asyncio.gather(*(work() for _ in range(at_once)))
                if repeat:
                    found.append(since(began, now()))
    return median(f[0] for f in found), median(f[1] for f in found)
