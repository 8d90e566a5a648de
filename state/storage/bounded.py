"""Connections to Postgres on which nothing takes longer than a bound.

The server's own timeouts end a statement that runs or waits for a lock too long; a server that is
frozen, or that the network has cut off, cannot: there the client stops waiting.
"""

import os
import time
from typing import Any, TypeVar

from shapley_coop.extras import needing

with needing("postgres", "a home in Postgres"):
    from psycopg import AsyncConnection, Connection, OperationalError
    from psycopg.abc import PQGen

SECONDS_VARIABLE = "COOP_DATABASE_SECONDS"

Row = TypeVar("Row")
Value = TypeVar("Value")


def seconds() -> int:
    """The most seconds that one statement may take.

    Raises:
        ValueError: the environment names no positive whole number.
    """
    given = os.environ.get(SECONDS_VARIABLE, "30")
    if not given.isdecimal() or not int(given):
        raise ValueError(f"{SECONDS_VARIABLE} is {given!r}: give a whole number of seconds, from 1")
    return int(given)


def parameters() -> dict[str, Any]:
    """What libpq and the server are told at each connection."""
    most = seconds()
    # The server gives up first, so that its reason is the one that is told.
    waits = max(1, most * 1000 - 500)
    return {
        "connect_timeout": min(most, 10),
        "tcp_user_timeout": most * 1000,
        "keepalives_idle": most,
        "options": f"-c statement_timeout={waits} -c lock_timeout={waits}",
    }


def _late(most: int) -> OperationalError:
    return OperationalError(f"the database has not answered for {most} seconds")


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
            raise _late(most) from None


class BoundedAsyncConnection(AsyncConnection[Row]):
    """The same on an event loop."""

    async def wait(
        self,
        gen: PQGen[Value],
        interval: float = 0.1,
        timeout: float | None = None,  # noqa: ASYNC109 - the driver's signature
    ) -> Value:
        """Wait for the server.

        Raises:
            OperationalError: it has not answered in time.
        """
        most, began = seconds(), time.monotonic()
        try:
            return await super().wait(gen, interval, most if timeout is None else timeout)
        except OperationalError:
            if timeout is not None or time.monotonic() - began < most:
                raise
            self.pgconn.finish()
            raise _late(most) from None
