"""Checkpoints in a SQLite file."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from seats.database import BUSY_SECONDS
from state.checkpoints import Served, strict

_DELETE_WRITES = """
    DELETE FROM writes WHERE (thread_id, checkpoint_ns, checkpoint_id) IN (
        SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints
        WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') IN (SELECT value FROM json_each(?))
    )
"""
_DELETE_CHECKPOINTS = """
    DELETE FROM checkpoints
    WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') IN (SELECT value FROM json_each(?))
"""


class SqliteSaver(Served, AsyncSqliteSaver):
    """LangGraph's saver, which can also take back whole runs, as a rollback does."""

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Forget all checkpoints of some runs; it reads the metadata of all there are."""
        runs = json.dumps([str(run) for run in run_ids])
        async with self.lock, self.conn.cursor() as cursor:
            await cursor.execute(_DELETE_WRITES, [runs])
            await cursor.execute(_DELETE_CHECKPOINTS, [runs])
            await self.conn.commit()


@asynccontextmanager
async def in_sqlite(file: Path) -> AsyncIterator[SqliteSaver]:
    """A saver over a file, set up and open."""
    async with aiosqlite.connect(file, timeout=BUSY_SECONDS) as connection:
        # A killed process loses nothing; after a power cut the run goes on from an earlier step.
        await connection.execute("PRAGMA synchronous = NORMAL")
        saver = SqliteSaver(connection, serde=strict())
        # A file that several open for the first time is locked, and SQLite's timeout does not wait.
        for wait in (*(0.05,) * 200, None):
            try:
                await saver.setup()
                break
            except sqlite3.OperationalError:
                if wait is None:
                    raise
                await asyncio.sleep(wait)
        yield saver
