"""The statements of all databases, and the interface of those that extensions provide.

The scheme of a home's URL says which extension stores it; a home without a URL is SQLite files.
"""

import sqlite3
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from shapley_coop import extension

if TYPE_CHECKING:  # slow imports that few commands need
    from shapley_coop.state.storage.checkpoints.home_saver import HomeSaver
    from shapley_coop.state.storage.leases import Leases


class Statements:
    """The execution of statements in one transaction, or in a read-only session.

    All statements are written for SQLite; another database's subclass translates them.

    Args:
        connection: the connection of the database's library.

    Attributes:
        types: the SQL types of columns: `counted` for row numbers, `bytes` for bytes, and
            `bytewise`, added to the type of texts that sort by bytes.
    """

    types: Mapping[str, str] = {"counted": "INTEGER PRIMARY KEY", "bytewise": "", "bytes": "BLOB"}
    _tables = "SELECT name FROM sqlite_master WHERE type = 'table'"

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def translate(self, statement: str) -> str:
        """Return a statement as this database takes it, with its placeholders for values."""
        return statement

    def execute(self, statement: str, *values: Any, **named: Any) -> list[Any]:
        """Execute a statement, and return its rows.

        Args:
            statement: SQL with a question mark for each value, or `:name` for each named value.
            values: the values, in order.
            named: the named values; unused ones are allowed.
        """
        cursor = self._connection.execute(self.translate(statement), named or values)
        return list(cursor.fetchall()) if cursor.description else []

    def rows(self, query: str, **named: Any) -> list[dict[str, Any]]:
        """Return the rows of a query as mappings from column names to values."""
        cursor = self._connection.execute(self.translate(query), named)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def tables(self) -> set[str]:
        """Return the names of the database's tables."""
        return {name for (name,) in self.execute(self._tables)}

    def version(self) -> int:
        """Return the version that the database records for its data, or 0 if it records none."""
        return int(self.execute("PRAGMA user_version")[0][0])

    def complete(self, version: int) -> None:
        """Record the version of the data, after the table of facts was created."""
        self.execute(f"PRAGMA user_version = {version}")


class Database(Protocol):
    """The connections of one database."""

    def reading(self, owner: str) -> AbstractContextManager[Statements]:
        """Open a read-only session on an owner's rows, which does not wait for writers."""

    def writing(self, owner: str, lock: str = "") -> AbstractContextManager[Statements]:
        """Open a transaction on an owner's rows.

        Args:
            owner: the owner whose rows are visible and written.
            lock: the name of a lock that excludes other transactions with the same lock.
        """


class Driver(Protocol):
    """The class that an extension names under `databases`: a driver of one database.

    Args:
        url: the database's URL.

    Attributes:
        errors: the classes of exceptions of the database's library.
    """

    errors: tuple[type[Exception], ...]

    def __init__(self, url: str) -> None: ...

    def open(self) -> Database:
        """Return the database's connections."""

    def leases(self) -> "Leases":
        """Return the leases of runs, which all machines that share the database respect."""

    def saver(self) -> "AbstractAsyncContextManager[HomeSaver]":
        """Open the database's checkpoint saver."""

    def unsafe(self) -> str:
        """Return a warning if the database lets owners read others' rows, or else ""."""

    @staticmethod
    def explain(error: BaseException) -> str:
        """Say what caused an error of `errors`, without stored values; "" for other errors."""


_loaded: dict[str, type[Driver]] = {}
"""Scheme → the driver's class, for the databases that this process has used."""


def check_address(url: str, variable: str) -> None:
    """Check that an installed extension can open a URL; do not quote it, as it may have a password.

    Raises:
        ValueError: no extension opens URLs of this scheme; the message names the variable.
    """
    schemes = extension.offered("databases")
    if url.partition("://")[0] in schemes:
        return
    if not schemes:
        raise ValueError(
            f"{variable} is set, but no extension that opens a database is installed: `coop list` "
            f"says which are; without {variable} a home is SQLite files"
        )
    known = " or ".join(f"{scheme}://user@host/name" for scheme in schemes)
    raise ValueError(f"{variable} is no address of a database: give {known}, or unset it")


def driver(url: str) -> Driver:
    """Return the driver of a database.

    Raises:
        LibraryMissing: the driver's library is not installed.
    """
    scheme = url.partition("://")[0]
    _loaded[scheme] = extension.load("databases", scheme)
    return _loaded[scheme](url)


def errors(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """Return the exceptions of SQLite and of all databases used by this process, and `more`."""
    return (sqlite3.Error, *(error for one in _loaded.values() for error in one.errors), *more)


def explain(error: BaseException) -> str:
    """Return in words what caused an error of a driver's library, or "" for other errors."""
    return next((told for one in _loaded.values() if (told := one.explain(error))), "")
