"""Leases: the locks that let only one worker play a run.

A lease lasts as long as the process or the connection that holds it, without a timeout, so nothing
has to expire after a crash. With SQLite a lease is a file lock, which the kernel releases with the
process. With Postgres a lease is an advisory lock, which the server releases with the connection.

A Postgres server keeps the connection of a frozen worker or a vanished machine for hours. So each
worker sends a heartbeat on its connection every `BEAT` seconds. Another worker that wants the run
ends a connection that was silent for `SILENT` seconds by the server's clock. A worker can outlive
its connection. So each lease has a fencing token, and a worker that finds a higher token saves no
further step (`HomeSaver.fences`). Late answers and postings do no harm: a key is written once.
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
"""The kind of the facts that name the worker with a run's lease; key: the fencing token."""

BEAT, SILENT = 15.0, 60.0

_END_SILENT = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity JOIN pg_locks USING (pid)
    WHERE locktype = 'advisory' AND objsubid = 1 AND classid = %(key)s::bigint >> 32
    AND objid = %(key)s::bigint & x'ffffffff'::bigint AND datname = current_database()
    AND state_change < now() - make_interval(secs => %(silent)s)
"""


class Busy(RuntimeError):
    """The error that another worker plays the run; the message names that worker."""


class LeaseLost(RuntimeError):
    """The error that another worker has taken over the run; the earlier worker must stop."""


@dataclass(frozen=True)
class Lease:
    """The right to play one run.

    Attributes:
        lost: a function that returns whether another worker has taken over the run; None for
            file locks, which cannot be lost while their process lives.
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
    """The leases of one machine, as locked files.

    Args:
        folder: the folder of the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def of(self, run: str) -> Iterator[Lease]:
        """Hold the lease of a run until the end of the block, or of the process.

        Raises:
            Busy: another worker holds the lease.
        """
        lock = self._locked(run)
        try:
            yield Lease(run)
        finally:
            lock.release()

    def forget(self, run: str) -> None:
        """Remove the lease files of a removed run; the caller must hold the lease."""
        for path in self._folder.glob(f"{_digest(run)[:32]}.*"):
            path.unlink(missing_ok=True)

    def _locked(self, run: str) -> FileLock:
        """Acquire and return a run's lock.

        A separate method, so that thousands of open leases keep no local variables in memory.
        """
        private_folder(self._folder)
        path = self._folder / f"{_digest(run)[:32]}.lock"
        # One thread may acquire the lock and another one release it.
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
    """The leases of a Postgres home, as advisory locks of one connection.

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
        """Hold the lease of a run until the end of the block; see `FileLeases.of`."""
        fence = self._take(run)
        try:
            yield Lease(run, lambda: self.fence(run) != fence)
        finally:
            self._release(run)

    def forget(self, run: str) -> None:
        """Delete the facts about a removed run's leases; the caller must hold the lease."""
        with self._facts.writing("") as session:
            session.forget(LEASE, run)

    def fence(self, run: str) -> int:
        """Return the fencing token of a run's latest lease; 0 if there was none."""
        latest = self._latest(run)
        return int(latest.key) if latest else 0

    def _latest(self, run: str) -> Fact | None:
        with self._facts.reading("") as session:
            return session.last(LEASE, run)

    def _take(self, run: str) -> int:
        with self._lock:
            # Postgres grants a connection its own lock twice, so check this process's own leases.
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
        """Take a run over from a silent worker, and return whether this succeeded."""
        return self._execute(_END_SILENT, run) and self._lock_it(run)

    def _beat(self) -> None:
        """Send heartbeats as long as this worker holds a lease."""
        while True:
            time.sleep(BEAT)
            with self._lock:
                if not self._held:
                    self._beating = None
                    return
                # If the connection is broken, `Lease.check` finds out whether the run was lost.
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
    """Open a file; create it readable for its owner only."""
    return os.open(file, flags, 0o600)


def _this_worker() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _digest(run: str) -> str:
    return hashlib.sha256(run.encode()).hexdigest()
