"""Connections to a Postgres database, taken in turn by threads; nothing takes longer than a bound.

The server's own timeouts end a statement that runs or waits for a lock too long; a server that is
frozen, or that the network has cut off, cannot: there the client stops waiting.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any, TypeVar

from shapley_coop.extras import require_extra

with require_extra("postgres", "a home in Postgres"):
    from psycopg import Connection, OperationalError
    from psycopg.abc import PQGen
    from psycopg.conninfo import conninfo_to_dict

SECONDS_VARIABLE = "COOP_DATABASE_SECONDS"

MOST = 15
"""Connections of this process that are used at once."""

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"

Row = TypeVar("Row")
Value = TypeVar("Value")


def seconds() -> int:
    """Return the most seconds that one statement may take.

    Raises:
        ValueError: the environment names no positive whole number.
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
            OperationalError: it has not answered in time.
        """
        most, began = seconds(), time.monotonic()
        try:
            return super().wait(gen, interval, most if timeout is None else timeout)
        except OperationalError:
            # The driver has no public name for the end of its wait, and handles that of its own.
            if timeout is not None or time.monotonic() - began < most:
                raise
            self.pgconn.finish()
            raise OperationalError(f"the database has not answered for {most} seconds") from None


def open_connection(url: str, **more: Any) -> Any:
    """Return a new connection, each statement of which is a transaction.

    Args:
        url: the database's.
        more: that psycopg is told.
    """
    most = seconds()
    # The server gives up first, so that its reason is the one that is told.
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
    """Return whether the server has not ended a connection; one that it has is closed."""
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

    sqlite = False

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: list[tuple[Any, str]] = []
        self._free = BoundedSemaphore(MOST)

    @contextmanager
    def reading(self, owner: str) -> Iterator[Any]:
        """A connection for queries, which wait for no writer."""
        with self._taken(owner) as connection:
            yield connection

    @contextmanager
    def writing(self, owner: str, lock: str = "") -> Iterator[Any]:
        """One transaction: all of it, or nothing.

        Args:
            owner: for whom.
            lock: what it alone may change meanwhile.
        """
        with self._taken(owner) as connection, connection.transaction():
            if lock:
                connection.execute(_LOCK, [lock])
            yield connection

    def connect(self) -> Any:
        """Return another connection."""
        return open_connection(self._url)

    @contextmanager
    def _taken(self, owner: str) -> Iterator[Any]:
        """A connection whose rows are an owner's; whoever fails with one closes it.

        Raises:
            OperationalError: none is free for long, or the server does not answer.
        """
        if not self._free.acquire(timeout=seconds()):
            raise OperationalError("no connection is free: the database is overloaded")
        try:
            connection, whose = self._alive() or (self.connect(), None)
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
        """Return a connection that was used before, and that the server has not ended since."""
        while self._idle:
            connection, whose = self._idle.pop()
            if is_alive(connection):
                return connection, whose
        return None
