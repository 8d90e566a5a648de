"""Leases: one worker per run, so that two resumes at once do not both play it.

A lease lasts as long as the process, or the connection, that holds it: there is no clock in it, and
nothing to wait for after a crash. On SQLite it is a lock on a file, which the kernel releases with
the process. On Postgres it is an advisory lock, which the server releases with the connection;
since a worker can outlive its connection, each lease has a fencing number, and a worker that finds
a higher one stops. What it may have written by then is written once whoever writes it: answers,
postings and checkpoints have keys.
"""

import asyncio
import hashlib
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Protocol

from filelock import FileLock, Timeout
from sqlalchemy import Column, Connection, Integer, MetaData, String, Table, select, text
from sqlalchemy.exc import DBAPIError

from shapley_coop.state.storage.engine import prepared, reading

_metadata = MetaData()
_leases = Table(
    "leases",
    _metadata,
    Column("run", String(80), primary_key=True),
    Column("fence", Integer, nullable=False),
    Column("holder", String(200), nullable=False),
)


class Busy(RuntimeError):
    """Somebody else plays this run now; the text says who."""


class LeaseLost(RuntimeError):
    """Somebody else has taken this run over, and whoever held it stops."""


class Lease(Protocol):
    """The right to play one run."""

    async def check(self) -> None:
        """Make sure that it still holds.

        Raises:
            LeaseLost: somebody else has taken the run over.
        """


class Leases(Protocol):
    """The leases of one home."""

    @contextmanager
    def of(self, run: str) -> Iterator[Lease]:
        """Hold the lease of a run; it ends with the block, or with the process.

        Raises:
            Busy: somebody else holds it.
        """
        ...


class FileLeases:
    """Leases as locked files of one machine.

    Args:
        folder: where the files are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def of(self, run: str) -> Iterator[Lease]:
        """Hold the lease of a run; see `Leases`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{_digest(run)[:32]}.lock"
        # Taken in one thread, it may be given back in another.
        lock, holder = FileLock(path, thread_local=False), path.with_suffix(".holder")
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise _busy(run, holder.read_text("utf-8") if holder.exists() else "") from None
        try:
            holder.write_text(_me(), encoding="utf-8")
            yield _Kept()
        finally:
            lock.release()


class _Kept:
    """The lease of a process that lives: nobody else can have it."""

    async def check(self) -> None:
        """There is nothing to check."""


class PostgresLeases:
    """Leases as advisory locks of one connection to Postgres.

    Args:
        url: `postgresql://…`.
    """

    def __init__(self, url: str) -> None:
        self._engine = prepared(url, _metadata)
        self._reader = reading(self._engine)
        self._lock = Lock()
        self._connection: Connection | None = None
        self._held: set[str] = set()

    @contextmanager
    def of(self, run: str) -> Iterator[Lease]:
        """Hold the lease of a run; see `Leases`."""
        fence = self._take(run)
        try:
            yield _Fenced(self, run, fence)
        finally:
            self._give_back(run)

    def fence(self, run: str) -> int:
        """The number of a run's latest lease."""
        with self._reader.connect() as connection:
            query = select(_leases.c.fence).filter_by(run=run)
            return int(connection.execute(query).scalar_one())

    def _take(self, run: str) -> int:
        from sqlalchemy.dialects.postgresql import insert  # of no use on SQLite, and slow to load

        with self._lock:
            # Locks of one connection do not exclude each other.
            if run in self._held or not self._execute("SELECT pg_try_advisory_lock(:key)", run):
                raise _busy(run, self._holder(run))
            self._held.add(run)
        fresh = insert(_leases).values(run=run, fence=1, holder=_me())
        again = fresh.on_conflict_do_update(
            index_elements=["run"], set_={"fence": _leases.c.fence + 1, "holder": _me()}
        )
        with self._engine.begin() as connection:
            return int(connection.execute(again.returning(_leases.c.fence)).scalar_one())

    def _give_back(self, run: str) -> None:
        with self._lock:
            self._held.discard(run)
            # Where the connection has broken, its locks went with it.
            with suppress(DBAPIError):
                self._execute("SELECT pg_advisory_unlock(:key)", run)

    def _execute(self, statement: str, run: str) -> bool:
        if self._connection is None or self._connection.invalidated:
            self._connection = self._engine.connect().execution_options(
                isolation_level="AUTOCOMMIT"
            )
        key = int(_digest(run)[:15], 16)
        return bool(self._connection.execute(text(statement), {"key": key}).scalar())

    def _holder(self, run: str) -> str:
        with self._reader.connect() as connection:
            query = select(_leases.c.holder).filter_by(run=run)
            return connection.execute(query).scalar_one_or_none() or ""


class _Fenced:
    """The lease of a connection, which can end before the process does."""

    def __init__(self, leases: PostgresLeases, run: str, fence: int) -> None:
        self._leases, self._run, self._fence = leases, run, fence

    async def check(self) -> None:
        """Compare the fencing number with the latest."""
        if await asyncio.to_thread(self._leases.fence, self._run) != self._fence:
            raise LeaseLost(f"{self._run} has been taken over: coop runs says how it stands")


def _busy(run: str, holder: str) -> Busy:
    return Busy(f"{run} is being played by {holder or 'another process'}: wait for it, or end it")


def _me() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _digest(run: str) -> str:
    return hashlib.sha256(run.encode()).hexdigest()
