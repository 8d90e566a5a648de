"""One LangGraph server that plays cells: its threads, its queue, and its absences.

A server that answered before may be away for `PATIENCE` seconds, for example while it is started
again. Its cells wait, and then go on from their last checkpoints. So do cells whose model fails or
is silent: a run that stopped for that is resumed, for `OUTAGE` seconds without progress.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from shapley_coop.evals.cell import Cell
from shapley_coop.extensions.remote.connection import PATIENCE, Away, Connection, Missing
from shapley_coop.extensions.remote.purse import PURSE, keeps_to, terms_of
from shapley_coop.extensions.sweeps.purse import SpendingLimit
from shapley_coop.graphs.threads import configure
from shapley_coop.seats.seat import CredentialsMissing, SeatUnavailable
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import Table

OUTAGE, NEW = 900.0, 60.0
"""The seconds for which a run is resumed without progress; `NEW` before any run's progress."""

QUEUED = 10
"""The number of waiting runs in a server's queue from which no cell is added."""

_PAUSE, _LONGEST, _FRESH, _AGAIN = 1.0, 60.0, 0.5, 3.0
_PAGE, _BUSY = 100, 1000
_QUARANTINED, _KILLS = "Quarantined", 3
_TOLD = ("Seat", "ValueError", CredentialsMissing.__name__)
_UNDER_WAY, _FAILED = ("pending", "running"), ("error", "timeout")


@dataclass(frozen=True)
class Job:
    """A cell to be played on a server.

    Attributes:
        cell: the cell.
        thread: the id of the cell's thread.
        about: the metadata of the thread.
        terms: what names the sweep's purse to the server (`purse.terms_for`), or {}.
    """

    cell: Cell
    thread: str
    about: dict[str, str]
    terms: dict[str, Any]


@dataclass
class Stop:
    """The last failure of a run: its checkpoint, when it was first seen there, and how often."""

    at: str = ""
    since: float = 0.0
    times: int = 0


class Server(Connection):
    """A server that plays cells.

    Args:
        url: the server's address.

    Attributes:
        playing: the number of cells of this process that the server plays.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.playing, self._proven = 0, False
        self._depth = (-PATIENCE, 0)

    async def play(self, job: Job) -> tuple[Table, bool]:
        """Play a cell on its thread; return its last state, and whether it was begun before.

        Raises:
            SpendingLimit: the sweep's purse is empty.
            ValueError: the server refuses or stays away, or the run failed.
        """
        create, found, stop = self.client.threads.create, list[bool](), Stop()

        async def ended() -> Table | None:
            made = create(thread_id=job.thread, if_exists="do_nothing", metadata=job.about)
            await self.answered(made)
            table, begun = await self.table(job.thread)
            found.append(begun)
            if not _ended(table):
                await self._run(job, begun, stop)
                table, _ = await self.table(job.thread)
            return table if _ended(table) else None

        self.playing += 1
        try:
            while (table := await self.patiently(ended)) is None:  # noqa: ASYNC110 - as above
                await asyncio.sleep(_PAUSE)  # the server took the run up again, or lost it
        finally:
            self.playing -= 1
        self._proven = True
        return table, found[0]

    async def has(self, thread: str) -> bool:
        """Return whether the server knows a thread.

        Raises:
            ValueError: the server refuses or stays away.
        """

        async def known() -> bool:
            try:
                await self.answered(self.client.threads.get(thread))
            except Missing:
                return False
            return True

        return await self.patiently(known)

    async def threads(self, sweep: str) -> list[tuple[str, str, str]]:
        """Return the id, the cell and the run's status of each thread of a sweep.

        Raises:
            ValueError: the server refuses or is away.
        """
        found = list[Any]()
        while True:
            asked = self.client.threads.search(
                metadata={"sweep": sweep}, limit=_PAGE, offset=len(found)
            )
            found += (page := await self.answered(asked))
            if len(page) < _PAGE:
                break
        return [
            (one["thread_id"], one["metadata"]["cell"], (one["values"] or {}).get("status", ""))
            for one in found
        ]

    async def forget(self, thread: str) -> None:
        """Delete a thread; one that a server does not delete now is left to the next sweep."""
        with suppress(ValueError):
            await self.answered(self.client.threads.delete(thread))

    async def table(self, thread: str) -> tuple[Table, bool]:
        """Return the latest state of a thread, and whether the cell's play has begun."""
        try:
            state = await self.answered(self.client.threads.get_state(thread))
        except Missing:
            return cast(Table, {}), False
        table = cast(Table, state["values"] or {})
        return table, bool(table.get("episode"))

    async def latest(self, thread: str, terms: dict[str, Any]) -> dict[str, Any]:
        """Return the last run of a thread, or {}; stop it first if it does not keep to the terms.

        Raises:
            Missing: the server does not know the thread.
            ValueError: the server refuses or is away.
        """
        runs = self.client.runs
        found: Any = await self.answered(runs.list(thread, limit=1))
        run: dict[str, Any] = found[0] if found else {}
        if run.get("status") in _UNDER_WAY and not keeps_to(terms_of(run), terms):
            await self.answered(runs.cancel(thread, run["run_id"], wait=True))
            run["status"] = "interrupted"
        return run

    async def stop_others(self, sweep: str, terms: dict[str, Any]) -> None:
        """Stop the sweep's runs under way that do not keep to the terms; their cells go on later.

        Raises:
            ValueError: the server refuses or is away.
        """
        about, search = {"sweep": sweep}, self.client.threads.search
        for one in await self.answered(search(metadata=about, status="busy", limit=_BUSY)):
            await self.latest(one["thread_id"], terms)

    async def waiting(self) -> int:
        """Return the number of runs that wait in the server's queue; 0 if it does not tell."""
        if time.monotonic() - self._depth[0] > (_AGAIN if self.away else _FRESH):
            depth = 0
            with suppress(ValueError, KeyError, TypeError):
                asked = self.client.http.get("/metrics", params={"format": "json"})
                told: Any = await self.answered(asyncio.wait_for(asked, _AGAIN))
                depth = int(told["queue"]["n_pending"])
            self._depth = (time.monotonic(), depth)
        return self._depth[1]

    async def _run(self, job: Job, begun: bool, stop: Stop) -> None:
        """Start or resume the cell's run, or join it if it is running; wait for its end.

        If an endpoint stopped the run, wait, so that the next call resumes it.

        Raises:
            ValueError: the server is away or refuses, or the run failed.
        """
        runs, thread = self.client.runs, job.thread
        try:
            latest = await self.latest(thread, job.terms)
            joined = latest.get("status") in _UNDER_WAY
            run = latest["run_id"] if joined else await self._begin(job, begun)
            ended: Any = await self.answered(runs.join(thread, run))
            status = (await self.answered(runs.get(thread, run)))["status"]
        except Missing as lost:  # by a server that was killed before it saved the new thread
            raise Away(str(lost)) from None
        ours = not joined or terms_of(latest) == job.terms  # others' limits do not end the cell
        if status in _FAILED and ours:
            await self._pause(thread, stop, dict(ended or {}).get("__error__") or {})

    async def _pause(self, thread: str, stop: Stop, error: dict[str, Any]) -> None:
        """Wait before a stopped run is resumed: longer each time that it made no progress.

        Raises:
            SpendingLimit: the sweep's purse is empty.
            ValueError: no pause cures the failure, or none did for `OUTAGE` seconds.
        """
        state: Any = await self.answered(self.client.threads.get_state(thread))
        at, now = str((state.get("checkpoint") or {}).get("checkpoint_id")), time.monotonic()
        if at != stop.at:
            self._proven = self._proven or bool(stop.at)
            stop.at, stop.since, stop.times = at, now, 0
        failed = [str(task["error"]) for task in state["tasks"] if task.get("error")]
        failed.append(f"{error.get('error')}: {error.get('message')}")
        kinds = [each.partition("(")[0].partition(":")[0] for each in failed]
        if SpendingLimit.__name__ in kinds:
            unpaid = failed[kinds.index(SpendingLimit.__name__)]
            raise SpendingLimit(unpaid.removeprefix(SpendingLimit.__name__).strip("()'\": "))
        lasting = now - stop.since > (OUTAGE if self._proven else NEW)
        killed = _QUARANTINED in kinds and stop.times < _KILLS
        if lasting or not (killed or SeatUnavailable.__name__ in kinds):
            told = "".join(f": {each}" for each in failed[:1] if each.startswith(_TOLD))
            raise ValueError(f"{self.url}: the run of thread {thread} stopped before its end{told}")
        await asyncio.sleep(min(_PAUSE * 2**stop.times, _LONGEST))
        stop.times += 1

    async def _begin(self, job: Job, begun: bool) -> str:
        """Start or resume a run as soon as the server's queue is short; return the run's id."""
        while await self.waiting() >= QUEUED:  # noqa: ASYNC110 - the server tells no event
            await asyncio.sleep(_PAUSE)
        cell, thread = job.cell, job.thread
        config = configure(Run(thread, cell.graph, cell.room, "", "started", None))
        config.pop("configurable")  # the server itself sets the run's thread
        if job.terms:
            config["metadata"][PURSE] = job.terms
        how: Any = {"config": config, "context": {}, "durability": "sync"}
        # A killed server starts a run again with its input; the key makes that the same play.
        start: Any = None if begun else {"room": cell.room, "idempotency_key": thread}
        made = self.client.runs.create(thread, cell.graph, input=start, **how)
        try:
            return str((await self.answered(made))["run_id"])
        except Missing as unknown:
            lost = not await self.has(thread)  # by a server that was killed before it saved it
            raise (Away if lost else ValueError)(str(unknown)) from None


def _ended(table: Table) -> bool:
    return bool(table.get("settlement")) and table.get("status") != "open"
