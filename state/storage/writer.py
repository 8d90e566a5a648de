"""Group commit: what several threads write to a SQLite file at once reaches the disk together.

A commit that survives a power cut waits for the disk, several times as long as its statements
take, and SQLite admits one writer at a time: each would wait for the disks of all before it. Here
they write in turn into one transaction, and whoever finds nobody behind commits it for all. Nobody
goes on before what it wrote is committed, and what one of them takes back is taken back alone.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock

MOST_TOGETHER = 32
"""Who wrote first must not wait for ever."""

PATIENCE = 1.0
"""Seconds after which a writer commits for all, if one behind it was interrupted and never came."""


@dataclass
class _Group:
    """The transaction that is open, and who waits for it.

    Attributes:
        connection: which holds it.
        writers: how many have written.
        over: set once it is committed, or has failed.
        error: why it was rolled back, with all that was written.
    """

    connection: sqlite3.Connection
    writers: int = 0
    over: Event = field(default_factory=Event)
    error: BaseException | None = None


class Writer:
    """One connection for all threads that write to a file.

    Args:
        opened: opens a connection in autocommit mode.
    """

    def __init__(self, opened: Callable[[], sqlite3.Connection]) -> None:
        self._opened = opened
        self._turn = Lock()
        self._counting = Lock()
        self._behind = 0
        self._connection: sqlite3.Connection | None = None
        self._group: _Group | None = None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Statements that are committed together when the block has ended, or not at all.

        Raises:
            sqlite3.Error: they could not be committed.
        """
        failed: BaseException | None = None
        with self._in_turn():
            group = self._group = self._group or self._begun()
            try:
                with _taken_back_alone(group.connection):
                    yield group.connection
            except BaseException as error:
                failed = error
                group.error = None if group.connection.in_transaction else error
            group.writers += 1
            if group.error or not self._behind or group.writers >= MOST_TOGETHER:
                self._end(group)
        # Also by who failed: what it ran into may be another's row that is not committed yet.
        while not group.over.wait(PATIENCE):
            with self._turn:
                if self._group is group:
                    self._end(group)
        if wrong := failed or group.error:
            raise wrong

    def close(self) -> None:
        """Close the connection, if no transaction is open on it; the next writer opens another."""
        with self._turn:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        with self._counting:
            self._behind += 1
        try:
            self._turn.acquire()
        finally:
            with self._counting:
                self._behind -= 1
        try:
            yield
        finally:
            self._turn.release()

    def _begun(self) -> _Group:
        connection, self._connection = self._connection or self._opened(), None
        try:
            # Immediate: a transaction that only read at first would fail, instead of waiting.
            connection.execute("BEGIN IMMEDIATE")
        except BaseException:
            connection.close()
            raise
        return _Group(connection)

    def _end(self, group: _Group) -> None:
        """Commit for all who have written; by whoever holds the turn."""
        self._group = None
        try:
            if group.error is None:
                group.connection.execute("COMMIT")
                self._connection = group.connection
        except BaseException as error:
            group.error = error
        finally:
            if group.error is not None:
                group.connection.close()  # which rolls back
            group.over.set()


@contextmanager
def _taken_back_alone(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("SAVEPOINT one")
    try:
        yield
    except BaseException:
        # A full disk rolls back the whole transaction by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK TO one")
            connection.execute("RELEASE one")
        raise
    connection.execute("RELEASE one")
