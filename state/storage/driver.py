"""Statements of the hot path, built once and made by the SQLite driver itself.

SQLAlchemy builds, compiles and wraps each statement anew, which takes several times as long as
SQLite takes to execute it, and a run makes some at every step. On Postgres, where a round trip
costs more than that, SQLAlchemy executes the same statements. The driver's connections are the
engine's own, set up as it sets them up, and errors are those that SQLAlchemy would raise.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any, Protocol

from sqlalchemy import Connection, Delete, Engine, Insert, Select, Table, Update, event
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler

from shapley_coop.state.storage.writer import Writer

Given = Mapping[str, Any]
"""A statement's values by name."""


class Statement:
    """A statement of SQLAlchemy's that is compiled once.

    Args:
        core: the statement, with a `bindparam` for each value; an insert sets every column but one
            that the database counts.
    """

    def __init__(self, core: Select[Any] | Insert | Update | Delete) -> None:
        self.core = core

    @cached_property
    def _compiled(self) -> SQLCompiler:
        names = None
        if isinstance(self.core, Insert) and isinstance(table := self.core.table, Table):
            names = [c.key for c in table.c if c is not table.autoincrement_column]
        made = self.core.compile(dialect=dialect(), column_keys=names)
        assert isinstance(made, SQLCompiler)
        return made

    @cached_property
    def text(self) -> str:
        """The statement in SQLite's language."""
        return self._compiled.string

    @cached_property
    def _constants(self) -> dict[str, Any]:
        """What the statement itself sets, as a limit."""
        return {name: x for name, x in self._compiled.params.items() if x is not None}

    @cached_property
    def _columns(self) -> list[str]:
        return list(self.core.selected_columns.keys()) if isinstance(self.core, Select) else []

    def values(self, given: Given) -> list[Any]:
        """What is bound, in the order of the statement's places.

        Raises:
            KeyError: a value is missing.
        """
        known = {**self._constants, **given}
        return [known[name] for name in self._compiled.positiontup or ()]

    def named(self, row: Sequence[Any]) -> dict[str, Any]:
        """A row that it found, by the names of its columns."""
        return dict(zip(self._columns, row, strict=True))


class Session(Protocol):
    """One transaction of statements."""

    def rows(self, query: Statement, given: Given) -> list[dict[str, Any]]:
        """The rows that a query finds."""

    def write(self, statement: Statement, rows: Sequence[Given]) -> None:
        """Make a change, once for each row."""


class CoreSession:
    """A transaction by SQLAlchemy.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, query: Statement, given: Given) -> list[dict[str, Any]]:
        """The rows that a query finds."""
        return [dict(row) for row in self._connection.execute(query.core, given).mappings()]

    def write(self, statement: Statement, rows: Sequence[Given]) -> None:
        """Make a change, once for each row."""
        if rows:
            self._connection.execute(statement.core, rows)


class SqliteSession:
    """A transaction by the driver.

    Args:
        connection: in a transaction, or to be read alone.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, query: Statement, given: Given) -> list[dict[str, Any]]:
        """The rows that a query finds."""
        found = self._connection.execute(query.text, query.values(given)).fetchall()
        return [query.named(row) for row in found]

    def write(self, statement: Statement, rows: Sequence[Given]) -> None:
        """Make a change, once for each row."""
        self._connection.executemany(statement.text, [statement.values(row) for row in rows])


class Driver:
    """Connections to a SQLite file: one to write, and some to read, taken in turn by threads.

    Args:
        engine: makes and sets up connections; each is in autocommit mode.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._idle: list[sqlite3.Connection] = []
        self._writer = Writer(self._opened)
        event.listen(engine, "engine_disposed", self._close)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Queries that wait for no writer; each sees what is committed then."""
        with self._connected() as connection:
            yield SqliteSession(connection)

    @contextmanager
    def writing(self, statement: str = "") -> Iterator[Session]:
        """One transaction: all of it, or nothing; an error names the statement."""
        with self._told(statement), self._writer.writing() as connection:
            yield SqliteSession(connection)

    def rows(self, query: str, given: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows that a query finds."""
        with self._connected(query) as connection:
            return connection.execute(query, given).fetchall()

    def insert(self, statement: Statement, rows: Sequence[Given]) -> None:
        """Insert rows, all or none of them."""
        with self.writing(statement.text) as session:
            session.write(statement, rows)

    def _close(self, _: Engine) -> None:
        """Close what nobody uses now; the next statement opens another connection."""
        while self._idle:
            self._idle.pop().close()
        self._writer.close()

    @contextmanager
    def _connected(self, statement: str = "") -> Iterator[sqlite3.Connection]:
        with self._told(statement):
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
    def _told(self, statement: str) -> Iterator[None]:
        """Errors as SQLAlchemy would raise them."""
        try:
            yield
        except sqlite3.Error as error:
            # Rows hold private text: the error does not quote them.
            raise DBAPIError.instance(
                statement,
                None,
                error,
                sqlite3.Error,
                hide_parameters=True,
                dialect=self._engine.dialect,
            ) from None

    def _opened(self) -> sqlite3.Connection:
        taken = self._engine.raw_connection()
        connection = taken.driver_connection
        taken.detach()  # the engine's pool counts it no more
        assert isinstance(connection, sqlite3.Connection), "it is an engine of SQLite's"
        return connection


@cache
def driver_of(engine: Engine) -> Driver:
    """The one driver of an engine: what its books write at once is committed together."""
    return Driver(engine)
