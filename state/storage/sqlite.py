"""Connections to a SQLite file, shared by threads: one for writing and several for reading."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Literal

from shapley_coop.state.storage.at_rest import private_file, private_folder
from shapley_coop.state.storage.databases import Statements

BUSY_SECONDS = 60

_SMALL_CACHE = "PRAGMA cache_size = -256"
"""The statement that limits a connection's cache to 256 kB. Each connection would fill SQLite's
default of 2 MB with pages that the operating system caches anyway."""

_AGAIN = 0.005
"""Seconds before a retry, for the locks that SQLite reports without waiting."""


class SqliteDatabase:
    """A SQLite file whose commits survive a power cut.

    Commits must survive because answers cost money, and payments in the ledger follow from them.

    Args:
        file: the path of the SQLite file; see `connect`.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._idle: list[sqlite3.Connection] = []
        self._writer: sqlite3.Connection | None = None
        self._turn = Lock()

    @contextmanager
    def reading(self, _: str) -> Iterator[Statements]:
        """Open a read-only session, which does not wait for writers."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._opened()
        try:
            yield Statements(connection)
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)

    @contextmanager
    def writing(self, _: str, lock: str = "") -> Iterator[Statements]:
        """Open a transaction, which excludes all other writers until it ends."""
        with self._turn:
            connection, self._writer = self._writer or self._opened(), None
            try:
                # A deferred transaction would fail at its first write, instead of waiting here.
                connection.execute("BEGIN IMMEDIATE")
                yield Statements(connection)
                connection.execute("COMMIT")
            except BaseException:
                connection.close()  # closing rolls back
                raise
            self._writer = connection

    def close(self) -> None:
        """Close the idle connections; the next statement opens a new one."""
        with self._turn:
            while self._idle:
                self._idle.pop().close()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _opened(self) -> sqlite3.Connection:
        # Python's sqlite3 would begin deferred transactions, whose first write fails at once if
        # another process has written since their first read.
        return connect(self._file, "FULL", isolation_level=None)


def connect(
    file: Path, synchronous: str, isolation_level: Literal["DEFERRED"] | None = "DEFERRED"
) -> sqlite3.Connection:
    """Return a connection that all threads may use; a new file is readable for its owner only.

    A file that we may not write is opened for reading only, without auxiliary files.

    Args:
        file: the file.
        synchronous: SQLite's word for the commits that survive a power cut: FULL means all.
        isolation_level: the transactions that Python's sqlite3 begins by itself; None for none.
    """
    private_folder(file.parent)
    place, alone = str(file), _is_read_only(file)
    if alone:
        log, index = (file.with_name(f"{file.name}-{name}") for name in ("wal", "shm"))
        # Only a file without a log may be opened as immutable, because nobody is writing it.
        logged = index.exists() or (log.exists() and log.stat().st_size)
        place = f"{file.absolute().as_uri()}?mode=ro{'' if logged else '&immutable=1'}"
    else:
        private_file(file)
    connection = sqlite3.connect(
        place,
        timeout=BUSY_SECONDS,
        isolation_level=isolation_level,
        check_same_thread=False,
        uri=alone,
    )
    try:
        if not alone:
            _write_ahead(connection)
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute(_SMALL_CACHE)
    except BaseException:
        connection.close()
        raise
    return connection


def compact(file: Path) -> int:
    """Free the space of the rows deleted from a file, and return the number of bytes freed.

    Raises:
        sqlite3.OperationalError: another process used the file for a minute, so nothing is freed.
    """
    before = _size(file)
    connection = connect(file, "FULL", isolation_level=None)
    try:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
    return before - _size(file)


def _size(file: Path) -> int:
    """Return the size of a database file with its log, in bytes."""
    log = file.with_name(f"{file.name}-wal")
    return sum(one.stat().st_size for one in (file, log) if one.exists())


def _is_read_only(file: Path) -> bool:
    """Return whether a file exists and we may not write the file or its folder."""
    return file.exists() and not all(os.access(one, os.W_OK) for one in (file, file.parent))


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch a file to a write-ahead log; wait if another process is switching it too."""
    gives_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > gives_up:
                raise
        time.sleep(_AGAIN)
