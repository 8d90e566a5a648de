"""A sweep on this machine and the same one on a server: cells an hour, and the overhead of a cell.

The server and the sweep share this machine; embedded agents answer, so that only our code and the
server's queue are measured.
"""

import time
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.seats import scratch
from shapley_coop.extensions.remote.remote import Remote
from shapley_coop.extensions.sweeps.playing import Limits
from tests.evals.swept import registered, run, suite
from tests.server_process import Server

AT_ONCE, WARM = 8, 16


def remote(cells: int = 200) -> list[Figure]:
    """Measure the cells an hour of a sweep here and of the same sweep on `coop dev`."""
    with scratch() as folder, Server(folder / "server") as server:
        _seconds(folder / "warm", WARM, server.url)
        seconds = {
            "on this machine": _seconds(folder / "here", cells),
            "on a server beside it": _seconds(folder / "there", cells, server.url),
        }
    here, there = seconds.values()
    overhead = max(there - here, 0.001) / cells * 1000  # of few cells it may be lost in noise
    return [
        Figure("overhead of a cell on the server", overhead, "ms", goal=200, floor=1000),
        *(
            Figure(f"{cells} cells {where}, {AT_ONCE} at once", cells / took * 3600, "an hour")
            for where, took in seconds.items()
        ),
    ]


def _seconds(folder: Path, cells: int, url: str = "") -> float:
    made = suite(vary={"graph": ["shapley_coop"]}, seeds=f"0-{cells - 1}")
    player = Remote([url], registered(folder, made)) if url else None
    began = time.perf_counter()
    tally = run(made, folder, Limits(at_once=AT_ONCE), player)
    took = time.perf_counter() - began
    if tally.done != cells:
        raise RuntimeError(f"{tally.failed} of {cells} cells failed")
    return took
