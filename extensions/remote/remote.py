"""The player that plays a sweep's cells (runs) on LangGraph servers, with the servers' queues."""

import asyncio
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from shapley_coop.evals.cell import Cell, Row
from shapley_coop.evals.prices import NO_PRICES, Prices
from shapley_coop.evals.rows import Clock, Finished, count_calls, row_of, volatile_of
from shapley_coop.extensions.remote.connection import Away, Connection, Missing
from shapley_coop.extensions.remote.purse import terms_for, terms_of
from shapley_coop.extensions.remote.server import Job, Server
from shapley_coop.extensions.sweeps.playing import Keep, Limits, is_removed
from shapley_coop.extensions.sweeps.purse import SPEND
from shapley_coop.extensions.sweeps.store import Store
from shapley_coop.seats.clients import clients

NOT_COUNTED = "to keep limits, it needs this version of shapley-coop, with the extension `remote`"


class Remote:
    """A player of cells on servers.

    A resumed sweep finds a cell's thread under the same id, on the server that has it, so no cell
    is played twice. The player waits for a run that is still running, and resumes a stopped run
    from its last checkpoint. A new cell goes to the server with the fewest runs in front of it.

    Args:
        urls: the servers' addresses; a server that is left out loses its unfinished runs.
        sweep: the sweep's id.
        keep: the runs whose threads stay on the server after their row is written.
        store: the sweep's store, which records the server of each cell; without it all servers are
            asked. If it is a database, the servers, which must share it, keep to the limits.
        limits: the limits on cost and rates.
        prices: the prices of the models.

    Attributes:
        elsewhere: whether the servers do not share the sweep's purse, so that a run's calls count
            when the run has ended.
    """

    def __init__(
        self,
        urls: Sequence[str],
        sweep: str,
        keep: Keep = "all",
        store: Store | None = None,
        limits: Limits | None = None,
        prices: Prices = NO_PRICES,
    ) -> None:
        self._servers, self._sweep = [Server(url) for url in urls], sweep
        self._keep: Keep = keep
        self._store, self._prices = store, prices
        limited = limits and (limits.cost is not None or limits.rates)
        self._limits = limits if limited and store and store.name else None
        self.elsewhere = self._limits is None
        if self.elsewhere and limits and limits.rates:
            raise ValueError(
                "--rpm, --tpm: the server cannot count the calls of a sweep in a file: "
                "sweep into a new folder, with COOP_DATABASE_URL"
            )
        self._chosen: dict[str, Server] = {}

    @staticmethod
    async def check(urls: Sequence[str]) -> None:
        """Check that one of the servers answers, and that none refuses.

        Raises:
            ValueError: the address or the token is wrong, or no server answers.
        """
        async with clients():
            found = await asyncio.gather(
                *(Connection(url).check() for url in urls), return_exceptions=True
            )
        for error in found:
            if error and (not isinstance(error, Away) or all(found)):
                raise error

    async def play(self, cell: Cell) -> Finished:
        """Play a cell on a server to its end.

        Raises:
            ValueError: the server cannot be reached or refuses, or the run stopped before its end.
        """
        started, thread = time.monotonic(), self._thread(cell)
        server = self._chosen[cell.id] = await self._server_for(cell, thread)
        await self._count_earlier(cell, server)
        about = {"sweep": self._sweep, "cell": cell.id, "suite": cell.suite}
        before = await self._spent()
        table, resumed = await server.play(Job(cell, thread, about, self._terms([cell])))
        row = row_of(cell, table)
        cost = 0.0 if resumed or self.elsewhere else self._prices.cost_of_known(row["calls"])
        if cost and await self._spent() == before:
            raise ValueError(f"{server.url} does not count calls: {NOT_COUNTED}")
        volatile = volatile_of(
            cell,
            table,
            Clock(),
            run=thread,
            resumed=resumed,
            server=server.url,
            started=started,
        )
        return Finished(row, volatile)

    async def paid_for(self, cell: Cell) -> list[dict[str, Any]]:
        """Return the model calls made in a cell's unfinished run, or [] if the server fails."""
        server = self._chosen.get(cell.id)
        if server is None or server.silent:
            return []
        try:
            table, begun = await server.table(self._thread(cell))
        except ValueError:
            return []  # the server failed
        return count_calls(table) if begun else []

    async def written(self, cell: Cell, row: Row) -> None:
        """Delete the thread of a cell whose row is written, unless `keep` says to keep it."""
        if is_removed(self._keep, row["result"]["status"]):
            await self._chosen[cell.id].forget(self._thread(cell))

    async def tidy(self, ended: Collection[str]) -> None:
        """Stop runs that do not keep to the limits, and delete the threads that a kill left."""
        if self._limits:
            for server in self._servers:
                with suppress(ValueError):  # the runs of a server that is away do not go on
                    await server.stop_others(self._sweep, self._terms([]))
        if self._keep == "all":
            return
        for server in self._servers:
            with suppress(ValueError):  # a server that is away keeps them until the next sweep
                for thread, cell, status in await server.threads(self._sweep):
                    if cell in ended and is_removed(self._keep, status):
                        await server.forget(thread)

    async def _server_for(self, cell: Cell, thread: str) -> Server:
        """Return the server that has a cell's thread or, for a new one, the least busy server.

        Raises:
            ValueError: one of several servers, which could have the thread, cannot be asked.
        """
        if len(self._servers) == 1:
            return self._servers[0]
        known = {server.url: server for server in self._servers}
        place = await asyncio.to_thread(self._store.place, cell.id) if self._store else None
        if place in known:
            return known[place]
        if place != "":  # nothing is recorded, or a server that was left out
            found = await asyncio.gather(*(server.has(thread) for server in self._servers))
            if any(found):
                return self._servers[found.index(True)]
        chosen = await self._least_busy()
        if self._store:
            place = await asyncio.to_thread(self._store.place, cell.id, chosen.url)
        return known.get(place or "", chosen)

    async def _least_busy(self) -> Server:
        """Return the server with the fewest runs in front of a new one; not one that is away."""
        waiting = await asyncio.gather(*(server.waiting() for server in self._servers))
        busy = [
            (server.away, n + server.playing)
            for n, server in zip(waiting, self._servers, strict=True)
        ]
        return self._servers[busy.index(min(busy))]

    async def _count_earlier(self, cell: Cell, server: Server) -> None:
        """Count the calls that a cell's run made before its sweep had a limit."""
        if self._store is None or self._limits is None:
            return
        try:
            latest = partial(server.latest, self._thread(cell), self._terms([cell]))
            run = await server.patiently(latest)
        except Missing:
            return
        if run and not terms_of(run):
            cost = self._prices.cost_of_known(await self.paid_for(cell))
            cost -= await asyncio.to_thread(self._store.failed_cost, cell.id)
            await asyncio.to_thread(self._store.write, SPEND, cost=max(0.0, cost))

    async def _spent(self) -> float:
        """Return what the purse has paid, in USD; 0 if no server pays from it."""
        store = None if self.elsewhere else self._store
        return await asyncio.to_thread(lambda: store.spent) if store else 0.0

    def _terms(self, cells: Sequence[Cell]) -> dict[str, Any]:
        """Return what names the sweep's purse to a server; {} if no server pays from it."""
        if self._store is None or self._limits is None:
            return {}
        return terms_for(cells, self._store, self._limits, self._prices)

    def _thread(self, cell: Cell) -> str:
        return str(uuid5(NAMESPACE_URL, f"{self._sweep}/{cell.id}"))
