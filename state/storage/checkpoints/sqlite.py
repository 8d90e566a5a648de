"""Checkpoints in a SQLite file."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.sqlite import SqliteSaver as BlockingSaver

from shapley_coop.state.storage.batcher import ThreadBatcher
from shapley_coop.state.storage.checkpoints.owed import Owed, Put, Written, made_of, thread_of
from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer
from shapley_coop.state.storage.checkpoints.server_mixin import ServerSaverMixin
from shapley_coop.state.storage.driver import SMALL_CACHE, connected
from shapley_coop.state.storage.versions import CHECKPOINTS, other_schema

_BY_RUN = "json_extract(CAST(metadata AS TEXT), '$.run_id') = ?"
_THREADS = f"SELECT DISTINCT thread_id FROM checkpoints WHERE {_BY_RUN}"  # noqa: S608 - constants
_OF_RUN = f"thread_id = ? AND {_BY_RUN}"
_DELETE_WRITES = f"""
    DELETE FROM writes WHERE (thread_id, checkpoint_ns, checkpoint_id) IN (
        SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints WHERE {_OF_RUN}
    )
"""  # noqa: S608
_DELETE_CHECKPOINTS = f"DELETE FROM checkpoints WHERE {_OF_RUN}"  # noqa: S608


_KEEP = """
    INSERT OR IGNORE INTO writes
    (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


_COUNTS = "counters_since_delta_snapshot"
"""Steps since each `DeltaChannel` was last kept whole: a seventh of what a turn keeps."""


class _Threaded(BlockingSaver):
    """LangGraph's blocking saver, called in a thread, one call for all that wait.

    LangGraph's own asynchronous saver switches threads three times for each write.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, serde=StrictSerializer())
        self._batcher = ThreadBatcher[Callable[[], Any], Any](_call_each)
        self.is_setup = True  # by whoever opened the connection: to do it commits
        self._owed = Owed(self._keep_owed)
        self._together = False

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        found: CheckpointTuple | None = await self.in_thread(
            thread_of(config), partial(self.get_tuple, config)
        )
        return found and found._replace(metadata=_with_counts(found))

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints, newest first."""
        await self._owed.keep_for(config)
        listed = partial(self.list, config, **options)
        for found in await self._batcher.do(lambda: list(listed())):
            yield found

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Read what was written to some channels."""
        read = partial(self.get_delta_channel_history, config=config, channels=channels)
        found: Mapping[str, DeltaChannelHistory] = await self.in_thread(thread_of(config), read)
        return found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint once the thread is read, or soon."""
        told: Any = {key: x for key, x in metadata.items() if key != _COUNTS}
        self._owed.add(put := Put(config, checkpoint, told, new_versions))
        if self._owed.is_urgent(thread := thread_of(config), metadata):
            await self.keep(thread)
        return put.config

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep the writes of a task once the thread is read, or soon."""
        self._owed.add(Written(config, [*writes], task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread."""
        await self.forget(str(thread_id))
        await self._batcher.do(partial(self.delete_thread, thread_id))

    async def keep(self, thread: str) -> None:
        """Keep what is owed to a thread."""
        await self._owed.keep(thread)

    async def forget(self, thread: str) -> None:
        """Owe a thread nothing more."""
        await self._owed.drop(thread)

    async def in_thread(self, thread: str, call: Callable[[], Any]) -> Any:
        """Make a call after what is owed to a thread is kept, and not if that fails.

        Raises:
            Exception: the error of the call, or of what was owed.
        """
        await self.keep(thread)
        return await self._batcher.do(call)

    async def _keep_owed(self, owed: Sequence[Written | Put]) -> None:
        await self._batcher.do(partial(self._keep_all, owed))

    def _keep_all(self, owed: Sequence[Written | Put]) -> None:
        """Keep all of that, or nothing."""
        self._together = True
        try:
            with self.conn:
                for one in owed:
                    if isinstance(one, Put):
                        self.put(one.at, one.checkpoint, one.metadata, one.versions)
                    elif made := made_of(one, owed):
                        self.conn.executemany(_KEEP, one.beside(made, self.serde))
                    else:
                        self.put_writes(one.at, one.writes, one.task, one.path)
        finally:
            self._together = False

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """A cursor; what is kept together is committed at the end of all of it."""
        with super().cursor(transaction and not self._together) as cursor:
            yield cursor

    async def drained(self) -> None:
        """Wait until all is kept.

        Raises:
            Exception: it cannot be.
        """
        try:
            await self._owed.drained()
        finally:
            await self._batcher.drained()


class SqliteSaver(ServerSaverMixin, _Threaded):
    """The threaded saver, which can also delete a run of a thread, as a rollback does."""

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Count from 1: each checkpoint holds the whole table, so forks may reuse a number.

        LangGraph's own versions take 49 characters for each channel and each node that has seen
        it. A thread that has them goes on with them.
        """
        if isinstance(current, str):
            return super().get_next_version(current, channel)
        return (current or 0) + 1

    async def _threads_of(self, run: str) -> list[str]:
        def find() -> list[str]:
            with self.cursor(transaction=False) as cursor:
                return [thread for (thread,) in cursor.execute(_THREADS, [run]).fetchall()]

        await self._owed.drained()
        return list(await self._batcher.do(find))

    async def _delete_run(self, thread: str, run: str) -> None:
        def delete() -> None:
            with self.cursor() as cursor:
                cursor.execute(_DELETE_WRITES, [thread, run])
                cursor.execute(_DELETE_CHECKPOINTS, [thread, run])

        await self.in_thread(thread, delete)


def _with_counts(found: CheckpointTuple) -> CheckpointMetadata:
    """A checkpoint's metadata with those counts, as they are at most.

    A thread of very many runs is kept whole again in time, so that it is read as fast.
    """
    steps = max(0, found.metadata.get("step", 0))
    counts = dict.fromkeys(found.checkpoint["channel_versions"], (0, steps))
    return cast(CheckpointMetadata, {_COUNTS: counts, **found.metadata})


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
            await saver.drained()


def _connected(file: Path) -> sqlite3.Connection:
    """A connection to a file that has LangGraph's tables."""
    connection = connected(file)
    try:
        # A killed process loses nothing; after a power cut a run resumes from an earlier step.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(SMALL_CACHE)
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        if found not in (0, CHECKPOINTS):
            raise other_schema("this home's file of checkpoints", found, CHECKPOINTS)
        BlockingSaver(connection).setup()
        if found != CHECKPOINTS:
            connection.execute(f"PRAGMA user_version = {CHECKPOINTS}")
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
