"""The interface of the databases that extensions provide, chosen by the scheme of a home's URL."""

import sqlite3
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from shapley_coop import extension
from shapley_coop.state.storage.statements import Dialect

if TYPE_CHECKING:  # slow imports that few commands need
    from shapley_coop.state.storage.checkpoints.home_saver import HomeSaver
    from shapley_coop.state.storage.leases import Leases


class Database(Protocol):
    """The connections of one database."""

    dialect: Dialect

    def reading(self, owner: str) -> AbstractContextManager[Any]:
        """Yield a connection for queries of an owner's rows."""

    def writing(self, owner: str, lock: str = "") -> AbstractContextManager[Any]:
        """Yield a connection in a transaction on an owner's rows.

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
        """Return what is wrong by an error of `errors`, without stored values, or else ""."""


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
    """Return what is wrong by an error of a driver's library, or "" for other errors."""
    return next((told for one in _loaded.values() if (told := one.explain(error))), "")
