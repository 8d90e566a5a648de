"""Books in a SQLite file: statements by Python's own driver, which nothing builds or wraps.

Every statement is SQL with a name for each value (`:run`); `postgres` makes the same ones. A
library in between takes several times as long to build a statement as SQLite to execute it, and
as long to import as a short command takes.
"""

import os
import sqlite3
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol

from shapley_coop.state.storage.at_rest import private_file, private_folder
from shapley_coop.state.storage.writer import Writer

BUSY_SECONDS = 60

SMALL_CACHE = "PRAGMA cache_size = -256"
"""Limits a connection's cache to 256 kB. SQLite's default is 2 MB, which the connection of each
thread would fill in time with pages that the system's own cache holds as well."""

_AGAIN = 0.005
"""Seconds until a lock that SQLite itself does not wait for is tried again."""

Given = Mapping[str, Any]
"""A statement's values by name; there may be more than it names."""

Row = dict[str, Any]
"""A row by the names of its columns."""

NOTHING: Sequence[Given] = ({},)
"""The values of a change that names none, made once."""


class KeyTaken(Exception):
    """A row with the key of a new one is there already."""


class Session(Protocol):
    """One transaction of statements.

    Attributes:
        sqlite: whether SQLite makes them, or Postgres.
    """

    sqlite: bool

    def rows(self, query: str, given: Given) -> list[Row]:
        """The rows that a query finds."""

    def write(self, statement: str, rows: Sequence[Given] = NOTHING) -> None:
        """Make a change, once for each row of values.

        Raises:
            KeyTaken: a row of that key is there.
        """


class Database(Protocol):
    """Where books are kept; threads may use it at once.

    Attributes:
        sqlite: whether it is a SQLite file, or Postgres.
    """

    sqlite: bool

    def reading(self, owner: str | None = None) -> AbstractContextManager[Session]:
        """Queries that wait for no writer; each sees what is committed then.

        Args:
            owner: whose rows alone Postgres shows; None where rows have no owners.
        """

    def writing(self, owner: str | None = None) -> AbstractContextManager[Session]:
        """One transaction: all of it, or nothing."""


class SqliteSession:
    """A transaction in SQLite.

    Args:
        connection: in a transaction, or to be read alone.
    """

    sqlite = True

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, query: str, given: Given) -> list[Row]:
        """The rows that a query finds."""
        found = self._connection.execute(query, given)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]

    def write(self, statement: str, rows: Sequence[Given] = NOTHING) -> None:
        """Make a change, once for each row of values."""
        try:
            if len(rows) == 1:
                self._connection.execute(statement, rows[0])
            else:
                self._connection.executemany(statement, rows)
        except sqlite3.IntegrityError:
            raise KeyTaken("a row of that key is there already") from None


class SqliteDatabase:
    """Connections to a SQLite file: one to write, and some to read, taken in turn by threads.

    What is committed survives a power cut: answers are paid for, and postings refer to them.

    Args:
        file: the file; see `connected`.
    """

    sqlite = True

    def __init__(self, file: Path) -> None:
        self._file = file
        self._idle: list[sqlite3.Connection] = []
        self._writer = Writer(self._opened)

    @contextmanager
    def reading(self, _: str | None = None) -> Iterator[Session]:
        """Queries that wait for no writer."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._opened()
        try:
            yield SqliteSession(connection)
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)

    @contextmanager
    def writing(self, _: str | None = None) -> Iterator[Session]:
        """One transaction."""
        with self._writer.writing() as connection:
            yield SqliteSession(connection)

    def close(self) -> None:
        """Close what nobody uses now; the next statement opens another connection."""
        while self._idle:
            self._idle.pop().close()
        self._writer.close()

    def _opened(self) -> sqlite3.Connection:
        """A connection that is in a transaction only where it was told to begin one.

        The driver's own transactions are deferred: they fail at once, instead of waiting, when
        another process has written in between.
        """
        connection = connected(self._file, isolation_level=None)
        if not is_read_only(self._file):
            _write_ahead(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(SMALL_CACHE)
        return connection


def connected(
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


def is_read_only(file: Path) -> bool:
    """Whether a file is there, and it or its folder cannot be written."""
    return file.exists() and not all(os.access(one, os.W_OK) for one in (file, file.parent))


def errors(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """What a statement that a database did not make may raise, and more."""
    of_postgres = sys.modules.get("sqlalchemy.exc")
    theirs = [of_postgres.SQLAlchemyError] if of_postgres else []
    return (sqlite3.Error, KeyTaken, *theirs, *more)


def _write_ahead(connection: sqlite3.Connection) -> None:
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
