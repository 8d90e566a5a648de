"""Leases: the locks that let only one worker play a run.

A lease is a file lock, which the kernel releases with its process, so nothing has to expire after a
crash. Databases that several machines share have leases of their own (`databases.Driver`), which a
worker can lose; a worker that has lost its lease saves no further step (`HomeSaver.fences`).
"""

import asyncio
import hashlib
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

from shapley_coop.state.storage.at_rest import private_folder


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


class Leases(Protocol):
    """The leases of a home."""

    def of(self, run: str) -> AbstractContextManager[Lease]:
        """Hold the lease of a run until the end of the block; see `FileLeases.of`."""

    def forget(self, run: str) -> None:
        """Remove all data on a removed run's leases; the caller must hold the lease."""


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
        for path in self._folder.glob(f"{digest(run)[:32]}.*"):
            path.unlink(missing_ok=True)

    def _locked(self, run: str) -> FileLock:
        """Acquire and return a run's lock.

        A separate method, so that thousands of open leases keep no local variables in memory.
        """
        private_folder(self._folder)
        path = self._folder / f"{digest(run)[:32]}.lock"
        # One thread may acquire the lock and another one release it.
        lock = FileLock(str(path), mode=0o600, thread_local=False)
        holder = path.with_suffix(".holder")
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise busy(run, holder.read_text("utf-8") if holder.exists() else "") from None
        try:
            with open(holder, "wb", buffering=0, opener=_privately) as written:
                written.write(this_worker().encode())
        except BaseException:
            lock.release()
            raise
        return lock


def busy(run: str, holder: str) -> Busy:
    """Return the error that names a run's worker, if it is known."""
    return Busy(f"{run} is being played by {holder or 'another process'}: wait for it, or end it")


def _privately(file: str, flags: int) -> int:
    """Open a file; create it readable for its owner only."""
    return os.open(file, flags, 0o600)


def this_worker() -> str:
    """Return this process and its machine, in words for other workers."""
    return f"process {os.getpid()} on {socket.gethostname()}"


def digest(run: str) -> str:
    """Return a name of a run in hexadecimal digits, for a lock."""
    return hashlib.sha256(run.encode()).hexdigest()
