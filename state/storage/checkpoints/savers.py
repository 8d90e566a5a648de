"""The opening of a home's checkpoint saver: SQLite files, or a shared database."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite import SqliteSaver as BlockingSaver

from shapley_coop.seats.clients import clients, clients_here
from shapley_coop.state.storage.checkpoints.home_saver import HomeSaver, Listener, Starting
from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer
from shapley_coop.state.storage.databases import Statements, driver
from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.sqlite import connect
from shapley_coop.state.storage.versions import ANOTHER_HOME, CHECKPOINTS, check_version


@asynccontextmanager
async def saver(
    home: Home,
    listener: Listener | None = None,
    starting: Starting | None = None,
) -> AsyncIterator[HomeSaver]:
    """Open the checkpoint saver of a home for the `with` block.

    Args:
        listener: a function called after each checkpoint of a table is stored.
        starting: a function called before this process first plays a run; its error stops the run.
    """
    # Only servers pass a listener, and only on servers do threads have owners.
    owners = await asyncio.to_thread(lambda: home.owners) if listener else None
    async with _open_saver(home) as kept:
        kept.owners = owners
        kept.listener, kept.starting = listener, starting
        yield kept
        await kept.deleted()


def _open_saver(home: Home) -> AbstractAsyncContextManager[HomeSaver]:
    return driver(home.database).saver() if home.database else _in_sqlite(home.checkpoints)


@asynccontextmanager
async def shared_saver(home: Home) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """Yield a home's saver, shared by an event loop and open until the loop leaves `clients()`.

    Opening a file and checking its tables costs as much as several turns of a game. So a caller
    that plays many runs keeps `clients()` open, and with them the saver.
    """
    async with clients():
        here = clients_here()
        async with here.opening:
            if home not in here.kept:
                here.kept[home] = await here.closing.enter_async_context(saver(home))
        yield here.kept[home]


class SqliteSaver(HomeSaver, BlockingSaver):
    """LangGraph's SQLite saver as a home's saver.

    Args:
        connection: a connection to a file that has LangGraph's tables.
    """

    writes, run_of = "writes", "json_extract(CAST(metadata AS TEXT), '$.run_id')"
    number = "rowid"

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, serde=StrictSerializer())

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Return the next version number of a channel, from 1.

        Two forks may use the same number, because each checkpoint has all values. LangGraph's own
        versions have 49 characters, which each checkpoint would store many times.
        """
        return (current or 0) + 1

    def close(self) -> None:
        """Close the connection."""
        self.conn.close()

    @contextmanager
    def transaction(self) -> Iterator[Statements]:
        """Open one transaction."""
        with self.cursor() as cursor:
            yield Statements(cursor)


@asynccontextmanager
async def _in_sqlite(file: Path) -> AsyncIterator[SqliteSaver]:
    """Open a saver, and create its tables if they are missing."""
    saver = await asyncio.to_thread(lambda: SqliteSaver(_connect(file)))
    try:
        yield saver
    finally:
        await saver.end()


def _connect(file: Path) -> sqlite3.Connection:
    """Return a connection to a file that has LangGraph's tables."""
    # NORMAL loses nothing if a process is killed; a power cut may lose the last steps.
    connection = connect(file, "NORMAL")
    try:
        # Read tables before the version: a process that creates the file sets the version first.
        made = connection.execute("SELECT name FROM sqlite_master LIMIT 1").fetchone()
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        if made or found:
            check_version("this home's file of checkpoints", found, CHECKPOINTS, ANOTHER_HOME)
        else:
            connection.execute(f"PRAGMA user_version = {CHECKPOINTS}")
        BlockingSaver(connection).setup()
    except BaseException:
        connection.close()
        raise
    return connection
