"""The checkpoint saver for a SQLite file, based on LangGraph's."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver as BlockingSaver

from shapley_coop.state.storage.checkpoints.home_saver import HomeSaver
from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer
from shapley_coop.state.storage.driver import SMALL_CACHE, connect, is_read_only, write_ahead
from shapley_coop.state.storage.statements import SQLITE, Statements
from shapley_coop.state.storage.versions import ANOTHER_HOME, CHECKPOINTS, check_version


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
        """Close the connection when no thread uses it any more; else SQLite could crash."""
        with self.lock:
            self.conn.close()

    @contextmanager
    def transaction(self) -> Iterator[Statements]:
        """Open one transaction."""
        with self.cursor() as cursor:
            yield Statements(cursor, SQLITE)


@asynccontextmanager
async def in_sqlite(file: Path) -> AsyncIterator[SqliteSaver]:
    """Open a saver, and create its tables if they are missing."""
    saver = await asyncio.to_thread(lambda: SqliteSaver(_connect(file)))
    try:
        yield saver
    finally:
        await asyncio.to_thread(saver.close)


def _connect(file: Path) -> sqlite3.Connection:
    """Return a connection to a file that has LangGraph's tables."""
    connection = connect(file)
    try:
        if not is_read_only(file):
            write_ahead(connection)  # LangGraph would not wait for other processes
        # NORMAL loses nothing if a process is killed; a power cut may lose the last steps.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(SMALL_CACHE)
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
