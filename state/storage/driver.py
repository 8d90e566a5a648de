"""Statements of the hot path, by the SQLite driver itself: a run makes some at every step.

SQLAlchemy builds, compiles and wraps each statement anew, which takes longer than SQLite takes to
execute it. The connections are the engine's own, set up as it sets them up, and errors are those
that SQLAlchemy would raise.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError


class Driver:
    """Connections to a SQLite file for single statements, taken in turn by threads.

    Args:
        engine: makes and sets up connections; each is in autocommit mode.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._idle: list[sqlite3.Connection] = []

    def rows(self, query: str, given: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows that a query finds."""
        with self._connected(query) as connection:
            return connection.execute(query, given).fetchall()

    def insert(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows, all or none of them."""
        with self._connected(statement) as connection:
            if len(rows) == 1:  # a statement alone is a transaction of its own
                connection.execute(statement, rows[0])
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(statement, rows)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _connected(self, statement: str) -> Iterator[sqlite3.Connection]:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._opened()
        try:
            yield connection
        except sqlite3.Error as error:
            # An error of a row leaves the connection as it was; any other may not.
            if isinstance(error, sqlite3.IntegrityError):
                self._idle.append(connection)
            else:
                connection.close()
            # Rows hold private text: the error does not quote them.
            raise DBAPIError.instance(
                statement,
                None,
                error,
                sqlite3.Error,
                hide_parameters=True,
                dialect=self._engine.dialect,
            ) from None
        except BaseException:
            connection.close()
            raise
        else:
            self._idle.append(connection)

    def _opened(self) -> sqlite3.Connection:
        taken = self._engine.raw_connection()
        connection = taken.driver_connection
        taken.detach()  # the engine's pool counts it no more
        assert isinstance(connection, sqlite3.Connection), "it is an engine of SQLite's"
        return connection
