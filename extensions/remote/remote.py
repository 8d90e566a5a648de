"""The player that plays a sweep's cells (runs) on a LangGraph server, with the server's queue."""

import time
from collections.abc import Awaitable, Collection
from typing import Any, TypeVar, cast
from uuid import NAMESPACE_URL, uuid5

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import LangGraphError, NotFoundError

from shapley_coop.evals.cell import Cell, Row
from shapley_coop.evals.rows import Clock, Finished, count_calls, row_of, volatile_of
from shapley_coop.graphs.threads import configure
from shapley_coop.seats.clients import clients_here
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import Table

UNDER_WAY = ("pending", "running")
T = TypeVar("T")


class Remote:
    """A player of cells on a server.

    A resumed sweep finds a cell's thread under the same id, so no cell is played twice. The player
    waits for a run that is still running, and resumes a stopped run from its last checkpoint.

    Args:
        url: the server's address.
        sweep: the sweep's id.
    """

    elsewhere = True

    def __init__(self, url: str, sweep: str) -> None:
        self._url, self._sweep = url, sweep
        self._made: LangGraphClient | None = None
        self._silent = False

    async def play(self, cell: Cell) -> Finished:
        """Play a cell on the server to its end.

        Raises:
            ValueError: the server cannot be reached or refuses, or the run stopped before its end.
        """
        started, thread = time.monotonic(), self._thread(cell)
        about = {"sweep": self._sweep, "cell": cell.id, "suite": cell.suite}
        create = self._client.threads.create
        await self._answered(create(thread_id=thread, if_exists="do_nothing", metadata=about))
        table, begun = await self._table(thread)
        if not _ended(table):
            await self._run(cell, thread, begun)
            table, _ = await self._table(thread)
        if not _ended(table):
            raise ValueError(f"{self._url}: the run of thread {thread} stopped before its end")
        volatile = volatile_of(
            cell,
            table,
            Clock(),
            run=thread,
            resumed=begun,
            server=self._url,
            started=started,
        )
        return Finished(row_of(cell, table), volatile)

    async def paid_for(self, cell: Cell) -> list[dict[str, Any]]:
        """Return the model calls made in a cell's unfinished run, or [] if the server fails."""
        if self._silent:
            return []
        try:
            table, begun = await self._table(self._thread(cell))
        except ValueError:
            return []  # the server failed
        return count_calls(table) if begun else []

    async def written(self, cell: Cell, row: Row) -> None:
        """Do nothing, because the server keeps the threads."""

    async def tidy(self, ended: Collection[str]) -> None:
        """Do nothing, because the runs leave no files on this machine."""

    @property
    def _client(self) -> LangGraphClient:
        if self._made is None:
            self._made = get_client(url=self._url)
            clients_here().closing.push_async_callback(self._made.aclose)
        return self._made

    def _thread(self, cell: Cell) -> str:
        return str(uuid5(NAMESPACE_URL, f"{self._sweep}/{cell.id}"))

    async def _run(self, cell: Cell, thread: str, begun: bool) -> None:
        """Start or resume the cell's run, or join it if it is running; wait for its end."""
        runs = self._client.runs
        latest = await self._answered(runs.list(thread, limit=1))
        under_way = [run["run_id"] for run in latest if run["status"] in UNDER_WAY]
        if not under_way:
            config = configure(Run(thread, cell.graph, cell.room, "", "started", None))
            config.pop("configurable")  # the server itself sets the run's thread
            how: Any = {"config": config, "context": {}, "durability": "sync"}
            start = None if begun else {"room": cell.room}
            made = await self._answered(runs.create(thread, cell.graph, input=start, **how))
            under_way = [made["run_id"]]
        while True:  # a run has no time limit, so a request that times out is repeated
            try:
                await runs.join(thread, under_way[0])
            except httpx.ReadTimeout:
                continue
            except (httpx.HTTPError, LangGraphError) as error:
                raise self._failure(error) from None
            return

    async def _table(self, thread: str) -> tuple[Table, bool]:
        """Return the latest state of a cell's thread, and whether the cell's play has begun."""
        try:
            state = await self._answered(self._client.threads.get_state(thread))
        except _Missing:
            return cast(Table, {}), False
        table = cast(Table, state["values"] or {})
        return table, bool(table.get("episode"))

    async def _answered(self, asked: Awaitable[T]) -> T:
        try:
            return await asked
        except NotFoundError:
            raise _Missing(f"{self._url}: the thread or the workflow does not exist") from None
        except (httpx.HTTPError, LangGraphError) as error:
            raise self._failure(error) from None

    def _failure(self, error: Exception) -> ValueError:
        # The client has retried for seconds, so `paid_for` need not ask again at once.
        self._silent = isinstance(error, httpx.ConnectError)
        reason = " ".join(str(error).split())[:200] or "no answer"
        return ValueError(f"{self._url}: {type(error).__name__}: {reason}")


class _Missing(ValueError):
    """The error if the server does not know the thread or the workflow."""


def _ended(table: Table) -> bool:
    return bool(table.get("settlement")) and table.get("status") != "open"
