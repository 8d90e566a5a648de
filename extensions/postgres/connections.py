"""Connections to a Postgres database, shared by threads, with a time limit on every statement.

The server's timeouts end statements that run or wait for a lock too long. A frozen server or a
broken network cannot apply these timeouts, so the client has a timeout of its own.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any, TypeVar

from shapley_coop.extensions.postgres.dialect import PostgresStatements
from shapley_coop.extras import require_extra

with require_extra("postgres", "a home in Postgres"):
    from psycopg import Connection, OperationalError
    from psycopg.abc import PQGen
    from psycopg.conninfo import conninfo_to_dict

SECONDS_VARIABLE = "COOP_DATABASE_SECONDS"

MOST = 15
"""The most connections that this process uses at once."""

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"

Row = TypeVar("Row")
Value = TypeVar("Value")


def seconds() -> int:
    """Return the most seconds that one statement may take.

    Raises:
        ValueError: the environment variable is not a positive whole number.
    """
    given = os.environ.get(SECONDS_VARIABLE, "30")
    if not given.isdecimal() or not int(given):
        raise ValueError(f"{SECONDS_VARIABLE} is {given!r}: give a whole number of seconds, from 1")
    return int(given)


class BoundedConnection(Connection[Row]):
    """A connection that is closed when the server does not answer in time."""

    def wait(self, gen: PQGen[Value], interval: float = 0.1, timeout: float | None = None) -> Value:
        """Wait for the server.

        Raises:
            OperationalError: the server has not answered in time.
        """
        most, began = seconds(), time.monotonic()
        try:
            return super().wait(gen, interval, most if timeout is None else timeout)
        except OperationalError:
            # A timeout is one cause of this error; psycopg handles the error if it set `timeout`.
            if timeout is not None or time.monotonic() - began < most:
                raise
            self.pgconn.finish()
            raise OperationalError(f"the database has not answered for {most} seconds") from None


def open_connection(url: str, **more: Any) -> Any:
    """Return a new connection on which each statement is a transaction.

    Args:
        url: the database's URL.
        more: further arguments for psycopg.
    """
    most = seconds()
    # The server's timeout is shorter than ours, so users see the server's more precise error.
    waits = max(1, most * 1000 - 500)
    given = conninfo_to_dict(url).get("options") or ""
    bounds: dict[str, Any] = {
        "connect_timeout": min(most, 10),
        "tcp_user_timeout": most * 1000,
        "keepalives_idle": most,
        "options": f"{given} -c statement_timeout={waits} -c lock_timeout={waits}".strip(),
    }
    return BoundedConnection.connect(url, autocommit=True, **bounds, **more)


def is_alive(connection: Any) -> bool:
    """Return whether a connection still works; close it if the server has ended it."""
    try:
        connection.execute("SELECT 1")
    except OperationalError:
        connection.close()
        return False
    return True


class PostgresDatabase:
    """A Postgres database.

    Args:
        url: `postgresql://…`.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: list[tuple[Any, str]] = []
        self._free = BoundedSemaphore(MOST)

    @contextmanager
    def reading(self, owner: str) -> Iterator[PostgresStatements]:
        """Open a read-only session on an owner's rows, which does not wait for writers."""
        with self._taken(owner) as connection:
            yield PostgresStatements(connection)

    @contextmanager
    def writing(self, owner: str, lock: str = "") -> Iterator[PostgresStatements]:
        """Open a transaction of an owner.

        Args:
            owner: the owner whose rows are visible and written.
            lock: the name of a lock that excludes other transactions with the same lock.
        """
        with self._taken(owner) as connection, connection.transaction():
            if lock:
                connection.execute(_LOCK, [lock])
            yield PostgresStatements(connection)

    @contextmanager
    def _taken(self, owner: str) -> Iterator[Any]:
        """Yield a connection that sees an owner's rows; close the connection if the block raises.

        Raises:
            OperationalError: no connection becomes free in time, or the server does not answer.
        """
        if not self._free.acquire(timeout=seconds()):
            raise OperationalError("no connection is free: the database is overloaded")
        try:
            connection, whose = self._alive() or (open_connection(self._url), None)
            try:
                if whose != owner:
                    setting = "SELECT set_config('coop.owner', %s, false)"
                    connection.execute(setting, [owner])
                yield connection
            except BaseException:
                connection.close()
                raise
            self._idle.append((connection, owner))
        finally:
            self._free.release()

    def _alive(self) -> tuple[Any, str] | None:
        """Return a working idle connection with the owner that it is set to; None if none works."""
        while self._idle:
            connection, whose = self._idle.pop()
            if is_alive(connection):
                return connection, whose
        return None
