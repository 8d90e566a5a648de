"""The execution of SQL statements that work both on SQLite and on Postgres."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_NAMED = re.compile(r"(?<!:):(\w+)")

_TABLES = {
    True: "SELECT name FROM sqlite_master WHERE type = 'table'",
    False: "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
}
"""True for SQLite, False for Postgres → the query for the names of the tables."""


class Statements:
    """The execution of statements in one transaction or in a read-only session.

    Args:
        connection: the driver's connection.
        sqlite: True for SQLite, False for Postgres.
    """

    def __init__(self, connection: Any, sqlite: bool) -> None:
        self._connection, self.sqlite = connection, sqlite

    def execute(self, statement: str, *values: Any, **named: Any) -> list[Any]:
        """Execute a statement, and return its rows.

        Args:
            statement: SQL with a question mark for each value, or `:name` for each named value.
            values: the values, in order.
            named: the named values; unused ones are allowed.
        """
        cursor = self._made(statement, named or values)
        return list(cursor.fetchall()) if cursor.description else []

    def rows(self, query: str, **named: Any) -> list[dict[str, Any]]:
        """Return the rows of a query as mappings from column names to values."""
        cursor = self._made(query, named)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def tables(self) -> set[str]:
        """Return the names of the database's tables."""
        return {name for (name,) in self.execute(_TABLES[self.sqlite])}

    def _made(self, statement: str, given: Sequence[Any] | Mapping[str, Any]) -> Any:
        if not self.sqlite:
            written = statement.replace("%", "%%").replace("?", "%s")
            statement = _NAMED.sub(r"%(\1)s", written)
        return self._connection.execute(statement, given)
