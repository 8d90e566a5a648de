"""Connections to a SQLite file: one to write, and some to read, taken in turn by threads."""

import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Literal

from shapley_coop.state.storage.at_rest import private_file, private_folder

BUSY_SECONDS = 60

SMALL_CACHE = "PRAGMA cache_size = -256"
"""Limits a connection's cache to 256 kB. SQLite's default is 2 MB, which the connection of each
thread would fill in time with pages that the system's own cache holds as well."""

_AGAIN = 0.005
"""Seconds until a lock that SQLite itself does not wait for is tried again."""


class SqliteDatabase:
    """A SQLite file; what is committed survives a power cut.

    Answers are paid for, and postings refer to them.

    Args:
        file: the file; see `connected`.
    """

    sqlite = True

    def __init__(self, file: Path) -> None:
        self._file = file
        self._idle: list[sqlite3.Connection] = []
        self._writer: sqlite3.Connection | None = None
        self._turn = Lock()

    @contextmanager
    def reading(self, _: str) -> Iterator[sqlite3.Connection]:
        """A connection for queries, which wait for no writer."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._opened()
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)

    @contextmanager
    def writing(self, _: str, lock: str = "") -> Iterator[sqlite3.Connection]:
        """One transaction: all of it, or nothing; nobody else writes meanwhile."""
        with self._turn:
            connection, self._writer = self._writer or self._opened(), None
            try:
                # Immediate: a transaction that only read at first would fail, instead of waiting.
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                connection.close()  # which rolls back
                raise
            self._writer = connection

    def close(self) -> None:
        """Close what nobody uses now; the next statement opens another connection."""
        with self._turn:
            while self._idle:
                self._idle.pop().close()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _opened(self) -> sqlite3.Connection:
        """Return a connection that is in a transaction only where it was told to begin one.

        The driver's own transactions are deferred: they fail at once, instead of waiting, when
        another process has written in between.
        """
        connection = connect(self._file, isolation_level=None)
        if not is_read_only(self._file):
            write_ahead(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(SMALL_CACHE)
        return connection


def connect(
    file: Path, isolation_level: Literal["DEFERRED"] | None = "DEFERRED"
) -> sqlite3.Connection:
    """A connection for threads to a file, which is made where it is missing, for its owner alone.

    Where it cannot be written it can be read, without the files that SQLite would make beside it.
    """
    private_folder(file.parent)
    place, alone = str(file), is_read_only(file)
    if alone:
        log, index = (file.with_name(f"{file.name}-{name}") for name in ("wal", "shm"))
        # What a log holds counts too, and somebody else may add to it; without one nobody does.
        logged = index.exists() or (log.exists() and log.stat().st_size)
        place = f"{file.absolute().as_uri()}?mode=ro{'' if logged else '&immutable=1'}"
    else:
        private_file(file)
    return sqlite3.connect(
        place,
        timeout=BUSY_SECONDS,
        isolation_level=isolation_level,
        check_same_thread=False,
        uri=alone,
    )


def compact(file: Path) -> int:
    """Have a file give back the space of what was removed from it; the bytes that it is smaller.

    Raises:
        sqlite3.OperationalError: somebody else has used it for a minute, and it stays as it is.
    """
    before = _size(file)
    connection = connect(file, isolation_level=None)
    try:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
    return before - _size(file)


def _size(file: Path) -> int:
    """Return the bytes of a file and of its log."""
    log = file.with_name(f"{file.name}-wal")
    return sum(one.stat().st_size for one in (file, log) if one.exists())


def is_read_only(file: Path) -> bool:
    """Return whether a file is there, and it or its folder cannot be written."""
    return file.exists() and not all(os.access(one, os.W_OK) for one in (file, file.parent))


def errors(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """Return what a statement that a database did not make may raise, and more."""
    postgres = sys.modules.get("psycopg")
    return (sqlite3.Error, *([postgres.Error] if postgres else []), *more)


def write_ahead(connection: sqlite3.Connection) -> None:
    """Have a file's log written ahead; SQLite does not wait by itself for who does the same now."""
    gives_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > gives_up:
                raise
        time.sleep(_AGAIN)
