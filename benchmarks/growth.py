"""The growth of a process by its runs, and of a run's and its verification's time by its rounds."""

import asyncio
import sys
from time import process_time

from benchmarks.alone import measured
from benchmarks.figures import Figure, exponent
from benchmarks.seats import scratch
from shapley_coop.evals.verifying import verify_run
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig


def memory(few: int = 100, many: int = 1600) -> list[Figure]:
    """Measure the peak of memory of a process that plays many runs beside one that plays few."""
    peaks = {n: measured("-m", "benchmarks.growth", str(n))[1] for n in (few, many)}
    what = "memory of a process after {} runs"
    return [
        Figure(f"{what.format(many)} / {few}", peaks[many] / peaks[few], goal=1.05, floor=1.2),
        *(Figure(what.format(n), peak, "MB") for n, peak in peaks.items()),
    ]


def rounds(sizes: tuple[int, int] = (120, 250)) -> list[Figure]:
    """Measure the CPU time of long runs of `contracts`, and of their verification, by rounds."""
    _played_and_verified(2)  # imports
    times = {n: _played_and_verified(n) for n in sizes}
    playing, verifying = ({n: times[n][k] for n in sizes} for k in (0, 1))
    last = sizes[-1]
    ratio = verifying[last] / playing[last]
    return [
        Figure("CPU of contracts against rounds: exponent", exponent(playing), goal=1, floor=1.2),
        Figure("CPU of verify against rounds: exponent", exponent(verifying), goal=1, floor=1.2),
        Figure(f"CPU of verify / of contracts, {last} rounds", ratio, goal=0.1, floor=0.3),
        *(Figure(f"CPU of contracts, {n} rounds", playing[n], "s") for n in sizes),
    ]


def _played_and_verified(rounds: int) -> tuple[float, float]:
    """Return the CPU seconds of a run of the Prisoner's Dilemma, and those of its verification."""
    room = RunConfig(game="prisoners_dilemma", params={"rounds": rounds})
    with scratch():
        began = process_time()
        asyncio.run(play("contracts", room, "long"))
        played = process_time() - began
        return played, min(_verified() for _ in range(3))  # the least: a collection costs as much


def _verified() -> float:
    began = process_time()
    assert all(check.sound for check in asyncio.run(verify_run("long")))
    return process_time() - began


async def _play(runs: int) -> None:
    """Play short runs, eight at once."""
    seeds = iter(range(runs))

    async def work() -> None:
        for seed in seeds:
            await play("negotiation", RunConfig(game="escape_room", seed=seed))

    async with clients():
        await asyncio.gather(*(work() for _ in range(8)))


if __name__ == "__main__":
    with scratch():
        asyncio.run(_play(int(sys.argv[1])))
