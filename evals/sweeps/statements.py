"""Statements with named values (`:sweep`), the same on SQLite and on Postgres."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shapley_coop.state.storage.driver import SqliteDatabase

_VALUE = re.compile(r"(?<!:):(\w+)")
_NOBODY = ""
"""Rows of sweeps have no owner: operators sweep, and no tenant does."""

Given = Mapping[str, Any]


class Statements:
    """Statements of one transaction, or of reading alone.

    Args:
        connection: a driver's.
        sqlite: whether it is SQLite's, or Postgres's.
    """

    def __init__(self, connection: Any, sqlite: bool) -> None:
        self._connection, self.sqlite = connection, sqlite

    def rows(self, query: str, given: Given) -> list[dict[str, Any]]:
        """The rows that a statement gives, each by the names of its columns."""
        cursor = self._made(query, given)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def write(self, statement: str, rows: Sequence[Given] = ({},)) -> None:
        """Make a change, once for each row of values."""
        for given in rows:
            self._made(statement, given)

    def _made(self, statement: str, given: Given) -> Any:
        if not self.sqlite:
            statement = _VALUE.sub(r"%(\1)s", statement.replace("%", "%%"))
        return self._connection.execute(statement, given)


class Tables:
    """The tables of a sweep's file, or those in a database that machines share.

    Args:
        file: SQLite's.
        shared: the URL of a Postgres database, which then stands in the file's place.
    """

    def __init__(self, file: Path, shared: str) -> None:
        self._file = None if shared else SqliteDatabase(file)
        self._database: Any = self._file or _shared(shared)

    @contextmanager
    def reading(self) -> Iterator[Statements]:
        """Queries that wait for no writer."""
        with self._database.reading(_NOBODY) as connection:
            yield Statements(connection, sqlite=self._file is not None)

    @contextmanager
    def writing(self) -> Iterator[Statements]:
        """One transaction: all of it, or nothing."""
        with self._database.writing(_NOBODY) as connection:
            yield Statements(connection, sqlite=self._file is not None)

    def close(self) -> None:
        """Close the file; a shared database stays open."""
        if self._file:
            self._file.close()


def _shared(url: str) -> Any:
    from shapley_coop.state.storage.database import facts_at

    return facts_at(url).database


_THERE = {
    True: "SELECT name FROM sqlite_master WHERE type = 'table'",
    False: "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
}


def tables_in(session: Statements) -> set[str]:
    """The names of a database's tables."""
    return {row["name"] for row in session.rows(_THERE[session.sqlite], {})}
