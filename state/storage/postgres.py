"""Connections to a Postgres database, taken in turn by threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any

from shapley_coop.extras import needing
from shapley_coop.state.storage.bounded import BoundedConnection, parameters, seconds

with needing("postgres", "a home in Postgres"):
    from psycopg import OperationalError
    from psycopg.conninfo import conninfo_to_dict

MOST = 15
"""Connections of this process that are used at once."""

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"

_Connection = BoundedConnection[tuple[Any, ...]]


class PostgresDatabase:
    """A Postgres database.

    Args:
        url: `postgresql://…`.
    """

    sqlite = False

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: list[tuple[_Connection, str]] = []
        self._free = BoundedSemaphore(MOST)

    @contextmanager
    def reading(self, owner: str) -> Iterator[_Connection]:
        """A connection for queries, which wait for no writer."""
        with self._taken(owner) as connection:
            yield connection

    @contextmanager
    def writing(self, owner: str, lock: str = "") -> Iterator[_Connection]:
        """One transaction: all of it, or nothing.

        Args:
            owner: for whom.
            lock: what it alone may change meanwhile.
        """
        with self._taken(owner) as connection, connection.transaction():
            if lock:
                connection.execute(_LOCK, [lock])
            yield connection

    def connect(self) -> _Connection:
        """Another connection, each statement of which is a transaction."""
        options = f"{conninfo_to_dict(self._url).get('options') or ''} {parameters()['options']}"
        given = {**parameters(), "options": options.strip()}
        return _Connection.connect(self._url, autocommit=True, **given)

    @contextmanager
    def _taken(self, owner: str) -> Iterator[_Connection]:
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

    def _alive(self) -> tuple[_Connection, str] | None:
        """A connection that was used before, and that the server has not ended since."""
        while self._idle:
            connection, whose = self._idle.pop()
            try:
                connection.execute("SELECT 1")
            except OperationalError:
                connection.close()
            else:
                return connection, whose
        return None
