"""A sweep on servers of which one is killed every ten seconds: all rows come, each paid once.

`COOP_KILL_EVERY` sets other seconds.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from shapley_coop.evals.cell import Cell, Row
from shapley_coop.extensions.remote.remote import Remote
from shapley_coop.extensions.sweeps.folders import failures_in, read_rows
from shapley_coop.extensions.sweeps.playing import Limits
from shapley_coop.extensions.sweeps.store import Store
from tests.aegra_server import aegra
from tests.evals.swept import registered, run, run_once, suite
from tests.proofs.hostile import at_home
from tests.proofs.proof import Finding, Proof
from tests.server_process import Server, fixed_servers

AT_ONCE, SERVERS = 16, 4
EVERY = float(os.environ.get("COOP_KILL_EVERY", "10"))
PAID = "SELECT DISTINCT scope FROM facts WHERE kind IN ('posting', 'answer')"

Servers = Callable[[Path], AbstractContextManager[Sequence[Server]]]


class Watched(Remote):
    """A player that tells when its first row is written, and how many there are."""

    def __init__(self, urls: Sequence[str], sweep: str, store: Store, *limits: Any) -> None:
        super().__init__(urls, sweep, "all", store, *limits)
        self.begun, self.rows = threading.Event(), 0

    async def written(self, cell: Cell, row: Row) -> None:
        self.begun.set()
        self.rows += 1


def attempt(folder: Path, times: int, servers: Servers) -> Finding:
    """Sweep here, then on servers that are killed in turn, and compare."""
    made = suite(vary={"graph": ["shapley_coop"]}, seeds=f"0-{times - 1}")
    started = time.monotonic()
    here = results(run_once(made, folder / "here"))
    local, there = time.monotonic() - started, folder / "there"
    sweep = registered(there, made)
    with at_home(folder), servers(folder / "servers") as running, Store(there) as store:
        player = Watched([server.url for server in running], sweep, store)
        with killed_in_turn(running, player) as kills:
            started = time.monotonic()
            tally = run(made, there, Limits(at_once=AT_ONCE), player)
            remote = time.monotonic() - started
    homes = {server.home for server in running}
    plays, found, failed = sum(map(plays_paid, homes)), results(there), list(failures_in(there))
    equal = sum(found.get(seed) == result for seed, result in here.items())
    return Finding(
        tried=f"{times:,} cells, {AT_ONCE} at once, on {len(running)} servers, {len(kills)} kills, "
        f"one every {EVERY:g} s; {local:,.0f} s here and {remote:,.0f} s there",
        figure=f"{equal:,} of {times:,} rows equal, {plays - len(found)} plays too many, "
        f"{tally.failed} failed{''.join(': ' + one['error'] for one in failed[:1])}",
        held=equal == times == plays and not tally.failed and bool(kills),
    )


@contextmanager
def killed_in_turn(servers: Sequence[Server], player: Watched) -> Iterator[list[float]]:
    """Kill one server after the other, from the first row on; start each again meanwhile."""
    kills, over = list[float](), threading.Event()

    def kill() -> None:
        player.begun.wait()
        starting: dict[Server, Future[Server]] = {}
        with ThreadPoolExecutor(len(servers)) as starters:
            while not over.is_set():
                server = servers[len(kills) % len(servers)]
                if server in starting:
                    starting[server].result()
                server.kill()
                kills.append(time.monotonic())
                print(f"{len(kills)} kills, {player.rows:,} rows", flush=True)
                starting[server] = starters.submit(server.start)
                over.wait(max(0.0, kills[-1] + EVERY - time.monotonic()))

    with ThreadPoolExecutor(1) as killer:
        killing = killer.submit(kill)
        try:
            yield kills
        finally:
            over.set()
            player.begun.set()
            killing.result()


def results(folder: Path) -> dict[int, tuple[object, ...]]:
    """Return seed → payoffs and contract."""
    told = ((row["seed"], row["result"]) for row in read_rows(folder))
    return {seed: (its["payoffs"], (its["contract"] or {}).get("text")) for seed, its in told}


def plays_paid(home: Path) -> int:
    """Return the number of plays that called a model or posted to the ledger of a home."""
    with closing(sqlite3.connect(home / "books.sqlite")) as books:
        return len(books.execute(PAID).fetchall())


def proof(promise: str, servers: Servers, short: int) -> Proof:
    """The proof on one kind of server."""
    return Proof(
        promise=promise,
        goal="every row equal to a local sweep's, 0 plays too many, 0 failed",
        not_promised="A cell's call in flight at a kill is repeated.",
        attempt=partial(attempt, servers=servers),
        short=short,
        long=3_000,
    )


PROOFS = {
    "remote": proof(
        "A sweep outlives its servers (`coop dev`)", partial(fixed_servers, number=SERVERS), 24
    ),
    "remote_aegra": proof("A sweep outlives its servers (Aegra)", aegra, 24),
}
