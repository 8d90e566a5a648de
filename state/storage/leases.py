"""Leases: the locks that let only one worker play a run.

A lease is a file lock, which the kernel releases when its process ends, even by a crash. A database
that several machines share has other leases (`databases.Driver`), which a worker can lose; a worker
that has lost its lease cannot save further steps (`HomeSaver.fences`).
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
    """The error if another worker plays the run; the message names that worker."""


class LeaseLost(RuntimeError):
    """The error if another worker has taken over the run, so that this worker must stop."""


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
        """Check that this worker still has the lease.

        Raises:
            LeaseLost: another worker has taken the run over.
        """
        is_lost = await asyncio.to_thread(self.lost) if self.lost else False
        if is_lost:
            raise LeaseLost(f"{self.run} was taken over by another worker: see coop runs")


class Leases(Protocol):
    """The leases of a home."""

    def of(self, run: str) -> AbstractContextManager[Lease]:
        """Hold the lease of a run during the `with` block; see `FileLeases.of`."""

    def forget(self, run: str) -> None:
        """Delete what is stored for a deleted run's lease, which the caller must hold."""


class FileLeases:
    """The leases of the runs on one machine, as locked files.

    Args:
        folder: the folder with the locked files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def of(self, run: str) -> Iterator[Lease]:
        """Hold the lease of a run during the `with` block, at most until the process ends.

        Raises:
            Busy: another worker holds the lease.
        """
        lock = self._locked(run)
        try:
            yield Lease(run)
        finally:
            lock.release()

    def forget(self, run: str) -> None:
        """Delete the lease files of a deleted run, whose lease the caller must hold."""
        for path in self._folder.glob(f"{digest(run)[:32]}.*"):
            path.unlink(missing_ok=True)

    def _locked(self, run: str) -> FileLock:
        """Acquire and return a run's lock.

        `of` does not do this itself, as its local variables stay in memory as long as the lease.
        """
        private_folder(self._folder)
        path = self._folder / f"{digest(run)[:32]}.lock"
        # Without `thread_local`, one thread may acquire the lock and another release it.
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
    """Return the error that a run is being played; it names the worker if it is known."""
    return Busy(f"{run} is being played by {holder or 'another process'}: wait for it, or end it")


def _privately(file: str, flags: int) -> int:
    """Open a file; create it readable for its owner only."""
    return os.open(file, flags, 0o600)


def this_worker() -> str:
    """Return the words for this process and its machine that other workers are shown."""
    return f"process {os.getpid()} on {socket.gethostname()}"


def digest(run: str) -> str:
    """Return the hash of a run's name, which can be part of a file name."""
    return hashlib.sha256(run.encode()).hexdigest()
