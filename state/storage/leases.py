"""Leases: one worker per run, so that two resumes at once do not both play it.

A lease lasts as long as the process, or the connection, that holds it. It has no clock, so nothing
has to expire after a crash. On SQLite it is a file lock, which the kernel releases with the
process. On Postgres it is an advisory lock, which the server releases with the connection.

The server keeps the connection of a worker that is frozen, or whose machine has vanished, for
hours. So a worker makes itself heard on it every `BEAT` seconds, and whoever wants the run ends a
connection that has been silent for `SILENT` seconds, by the server's clock. A worker can outlive
its connection: each lease has a fencing number, and one that finds a higher one keeps no step more
(`HomeSaver.fences`). Late answers and postings are harmless: they have idempotency keys.
"""

import asyncio
import hashlib
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from filelock import FileLock, Timeout

from shapley_coop.state.storage.at_rest import private_folder
from shapley_coop.state.storage.database import facts_at
from shapley_coop.state.storage.driver import errors
from shapley_coop.state.storage.facts import Fact

LEASE = "lease"
"""A kind of facts: who took a run's lease, under its fencing number; of no owner."""

BEAT, SILENT = 15.0, 60.0

_END_SILENT = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity JOIN pg_locks USING (pid)
    WHERE locktype = 'advisory' AND objsubid = 1 AND classid = %(key)s::bigint >> 32
    AND objid = %(key)s::bigint & x'ffffffff'::bigint AND datname = current_database()
    AND state_change < now() - make_interval(secs => %(silent)s)
"""


class Busy(RuntimeError):
    """Another worker plays this run; the text names it."""


class LeaseLost(RuntimeError):
    """Another worker has taken this run over; the one that held it stops."""


@dataclass(frozen=True)
class Lease:
    """The right to play one run.

    Attributes:
        run: the run.
        lost: whether another worker has taken it over; None where that cannot be, as a file lock
            holds as long as its process lives, and a connection can end before it.
    """

    run: str
    lost: Callable[[], bool] | None = None

    async def check(self) -> None:
        """Make sure that the lease still holds.

        Raises:
            LeaseLost: another worker has taken the run over.
        """
        is_lost = await asyncio.to_thread(self.lost) if self.lost else False
        if is_lost:
            raise LeaseLost(f"{self.run} was taken over by another worker: see coop runs")


class FileLeases:
    """Leases as locked files, on one machine.

    Args:
        folder: the folder of the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def of(self, run: str) -> Iterator[Lease]:
        """Hold the lease of a run until the end of the block, or of the process.

        Raises:
            Busy: another worker holds it.
        """
        lock = self._locked(run)
        try:
            yield Lease(run)
        finally:
            lock.release()

    def forget(self, run: str) -> None:
        """Remove the files of a run that is removed, by whoever holds it."""
        for path in self._folder.glob(f"{_digest(run)[:32]}.*"):
            path.unlink(missing_ok=True)

    def _locked(self, run: str) -> FileLock:
        """Return a run's lock.

        Apart from `of`, so that thousands of runs in flight do not hold the paths.
        """
        private_folder(self._folder)
        path = self._folder / f"{_digest(run)[:32]}.lock"
        # It may be acquired in one thread and released in another.
        lock = FileLock(str(path), mode=0o600, thread_local=False)
        holder = path.with_suffix(".holder")
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise _busy(run, holder.read_text("utf-8") if holder.exists() else "") from None
        try:
            with open(holder, "wb", buffering=0, opener=_privately) as written:
                written.write(_this_worker().encode())
        except BaseException:
            lock.release()
            raise
        return lock


class PostgresLeases:
    """Leases as advisory locks of one connection to Postgres.

    Args:
        url: `postgresql://…`.
    """

    def __init__(self, url: str) -> None:
        self._facts = facts_at(url)
        self._lock = Lock()
        self._connection: Any = None
        self._held: set[str] = set()
        self._beating: Thread | None = None

    @contextmanager
    def of(self, run: str) -> Iterator[Lease]:
        """Hold the lease of a run; see `FileLeases`."""
        fence = self._take(run)
        try:
            yield Lease(run, lambda: self.fence(run) != fence)
        finally:
            self._release(run)

    def forget(self, run: str) -> None:
        """Forget who held a run that is removed, by whoever holds it."""
        with self._facts.writing("") as session:
            session.forget(LEASE, run)

    def fence(self, run: str) -> int:
        """Return the number of a run's latest lease."""
        latest = self._latest(run)
        return int(latest.key) if latest else 0

    def _latest(self, run: str) -> Fact | None:
        with self._facts.reading("") as session:
            return session.last(LEASE, run)

    def _take(self, run: str) -> int:
        with self._lock:
            # Locks of one connection do not exclude each other.
            if run in self._held or not (self._lock_it(run) or self._taken_over(run)):
                latest = self._latest(run)
                raise _busy(run, latest.value["holder"] if latest else "")
            self._held.add(run)
            if self._beating is None:
                self._beating = Thread(target=self._beat, daemon=True)
                self._beating.start()
        with self._facts.writing("", f"lease of {run}") as session:
            return session.append(LEASE, run, {"holder": _this_worker()})

    def _release(self, run: str) -> None:
        with self._lock:
            self._held.discard(run)
            # A broken connection has released its locks already.
            with suppress(*errors()):
                self._execute("SELECT pg_advisory_unlock(%(key)s)", run)

    def _lock_it(self, run: str) -> bool:
        return self._execute("SELECT pg_try_advisory_lock(%(key)s)", run)

    def _taken_over(self, run: str) -> bool:
        """Take a run from a worker that is silent; whether there was one."""
        return self._execute(_END_SILENT, run) and self._lock_it(run)

    def _beat(self) -> None:
        """Make this worker heard as long as it holds anything."""
        while True:
            time.sleep(BEAT)
            with self._lock:
                if not self._held:
                    self._beating = None
                    return
                # Of a broken connection `check` tells: somebody else has the run by then.
                with suppress(*errors()):
                    self._connection.execute("SELECT 1")

    def _execute(self, statement: str, run: str) -> bool:
        if self._connection is None or self._connection.closed:
            self._connection = self._facts.database.connect()
        given = {"key": int(_digest(run)[:15], 16), "silent": SILENT}
        found = self._connection.execute(statement, given).fetchone()
        return bool(found and found[0])


Leases = FileLeases | PostgresLeases
"""The leases of a home."""


def _busy(run: str, holder: str) -> Busy:
    return Busy(f"{run} is being played by {holder or 'another process'}: wait for it, or end it")


def _privately(file: str, flags: int) -> int:
    """Open a file, and make it for its owner alone where it is missing."""
    return os.open(file, flags, 0o600)


def _this_worker() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _digest(run: str) -> str:
    return hashlib.sha256(run.encode()).hexdigest()
