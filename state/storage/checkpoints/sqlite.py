"""Checkpoints in a SQLite file, by LangGraph's own saver."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple, DeltaChannelHistory
from langgraph.checkpoint.sqlite import SqliteSaver as BlockingSaver

from shapley_coop.state.storage.batcher import ThreadBatcher
from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer
from shapley_coop.state.storage.checkpoints.server_mixin import ServerSaverMixin
from shapley_coop.state.storage.driver import SMALL_CACHE, connected
from shapley_coop.state.storage.versions import ANOTHER_HOME, CHECKPOINTS, check_version

_RUN = "json_extract(CAST(metadata AS TEXT), '$.run_id')"
_THREADS = f"SELECT DISTINCT thread_id FROM checkpoints WHERE {_RUN} = ?"  # noqa: S608 - constants
_OF_RUN = f"thread_id = ? AND {_RUN} = ?"
_DELETE_WRITES = f"""
    DELETE FROM writes WHERE (thread_id, checkpoint_ns, checkpoint_id) IN (
        SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints WHERE {_OF_RUN}
    )
"""  # noqa: S608
_DELETE_WRITES_BEFORE = f"""
    DELETE FROM writes WHERE idx >= 0 AND (thread_id, checkpoint_ns, checkpoint_id) IN (
        SELECT thread_id, checkpoint_ns, parent_checkpoint_id FROM checkpoints WHERE {_OF_RUN}
        EXCEPT
        SELECT thread_id, checkpoint_ns, parent_checkpoint_id FROM checkpoints
        WHERE {_RUN} IS NOT ?
    )
"""  # noqa: S608
"""Of the checkpoint at which a run began, unless another run follows it too: with them its first
tasks would count as done."""
_DELETE_CHECKPOINTS = f"DELETE FROM checkpoints WHERE {_OF_RUN}"  # noqa: S608


class _InThread(BlockingSaver):
    """LangGraph's blocking saver, called in a thread, one call for all that wait.

    Its asynchronous saver switches threads three times for each write: with it a hundred
    negotiations at once took 1.2 times as long as a plain graph's with that saver (`make bench`).
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, serde=StrictSerializer())
        self.batcher = ThreadBatcher[Callable[[], Any], Any](_call_each)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        found: CheckpointTuple | None = await self.batcher.do(partial(self.get_tuple, config))
        return found

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints, newest first."""
        listed = partial(self.list, config, **options)
        for found in await self.batcher.do(lambda: list(listed())):
            yield found

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Read what was written to some channels."""
        read = partial(self.get_delta_channel_history, config=config, channels=channels)
        found: Mapping[str, DeltaChannelHistory] = await self.batcher.do(read)
        return found

    async def aput(self, *given: Any) -> RunnableConfig:
        """Keep a checkpoint."""
        kept: RunnableConfig = await self.batcher.do(partial(self.put, *given))
        return kept

    async def aput_writes(self, *given: Any) -> None:
        """Keep the writes of a task."""
        await self.batcher.do(partial(self.put_writes, *given))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread."""
        await self.batcher.do(partial(self.delete_thread, thread_id))


class SqliteSaver(ServerSaverMixin, _InThread):
    """That saver, which can also delete a run of a thread, as a rollback does."""

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Count from 1: each checkpoint holds the whole table, so forks may reuse a number.

        LangGraph's own versions take 49 characters for each channel and each node that has seen
        it.
        """
        return (current or 0) + 1

    async def _threads_of(self, run: str) -> list[str]:
        def find() -> list[str]:
            with self.cursor(transaction=False) as cursor:
                return [thread for (thread,) in cursor.execute(_THREADS, [run]).fetchall()]

        return list(await self.batcher.do(find))

    async def _delete_run(self, thread: str, run: str) -> None:
        def delete() -> None:
            with self.cursor() as cursor:
                cursor.execute(_DELETE_WRITES_BEFORE, [thread, run, run])
                cursor.execute(_DELETE_WRITES, [thread, run])
                cursor.execute(_DELETE_CHECKPOINTS, [thread, run])

        await self.batcher.do(delete)


@asynccontextmanager
async def in_sqlite(file: Path) -> AsyncIterator[SqliteSaver]:
    """An open saver, with its tables in place."""
    # While one process creates the file it is locked, and SQLite's own timeout does not wait.
    for wait in (*(0.05,) * 200, None):
        try:
            connection = await asyncio.to_thread(_connected, file)
            break
        except sqlite3.OperationalError as error:
            if wait is None or "locked" not in str(error):
                raise
            await asyncio.sleep(wait)
    with closing(connection):
        saver = SqliteSaver(connection)
        try:
            yield saver
        finally:
            await saver.batcher.drained()


def _connected(file: Path) -> sqlite3.Connection:
    """A connection to a file that has LangGraph's tables."""
    connection = connected(file)
    try:
        # A killed process loses nothing; after a power cut a run resumes from an earlier step.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(SMALL_CACHE)
        # Tables first: where another process is making them, the version is there before them.
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


def _call_each(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """The result or error of each call; an error does not stop the others."""
    results: list[Any] = []
    for call in calls:
        try:
            results.append(call())
        except Exception as error:
            results.append(error)
    return results
