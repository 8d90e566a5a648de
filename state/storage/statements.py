"""The execution of SQL statements, translated into the dialects of databases."""

from collections.abc import Mapping, Sequence
from typing import Any


class Dialect:
    """SQLite's dialect, in which all statements are written; other dialects are subclasses.

    Attributes:
        types: the SQL types of columns: `counted` for row numbers, `bytes` for bytes, and
            `bytewise`, added to the type of texts that sort by bytes.
        tables: the query for the names of the tables.
    """

    types: Mapping[str, str] = {
        "counted": "INTEGER PRIMARY KEY",
        "bytewise": "",
        "bytes": "BLOB",
    }
    tables = "SELECT name FROM sqlite_master WHERE type = 'table'"

    def translate(self, statement: str) -> str:
        """Return a statement in this dialect, with this dialect's placeholders for values."""
        return statement

    def version(self, session: "Statements") -> int:
        """Return the version that a database records for its data, or 0 if it records none."""
        return int(session.execute("PRAGMA user_version")[0][0])

    def complete(self, session: "Statements", version: int) -> None:
        """Record the version of the data, after the table of facts was created."""
        session.execute(f"PRAGMA user_version = {version}")


SQLITE = Dialect()


class Statements:
    """The execution of statements in one transaction or in a read-only session.

    Args:
        connection: the driver's connection.
        dialect: the database's dialect.
    """

    def __init__(self, connection: Any, dialect: Dialect) -> None:
        self._connection, self.dialect = connection, dialect

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
        return {name for (name,) in self.execute(self.dialect.tables)}

    def _made(self, statement: str, given: Sequence[Any] | Mapping[str, Any]) -> Any:
        return self._connection.execute(self.dialect.translate(statement), given)
