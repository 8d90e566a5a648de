"""Checkpoints in a SQLite file."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

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
from shapley_coop.state.storage.checkpoints.strict import ServerSaverMixin, strict
from shapley_coop.state.storage.engine import BUSY_SECONDS

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


class _Threaded(BlockingSaver):
    """LangGraph's blocking saver, called in a thread: one hop for all that waits to be done.

    LangGraph's own asynchronous one hops three times for each write.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, serde=strict())
        self._lane = ThreadBatcher[Callable[[], Any], Any](_each)

    async def in_thread(self, work: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call something that uses the connection."""
        return await self._lane.do(partial(work, *args, **options))

    async def done(self) -> None:
        """Wait until nothing uses the connection."""
        await self._lane.over()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        found: CheckpointTuple | None = await self.in_thread(self.get_tuple, config)
        return found

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints, newest first."""
        asked = partial(self.list, config, filter=filter, before=before, limit=limit)
        for found in await self.in_thread(lambda: list(asked())):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint."""
        kept: RunnableConfig = await self.in_thread(
            self.put, config, checkpoint, metadata, new_versions
        )
        return kept

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task wrote before its step ends."""
        await self.in_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Forget a thread."""
        await self.in_thread(self.delete_thread, thread_id)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Read what was written to channels whose checkpoints hold differences."""
        found: Mapping[str, DeltaChannelHistory] = await self.in_thread(
            self.get_delta_channel_history, config=config, channels=channels
        )
        return found


class SqliteSaver(ServerSaverMixin, _Threaded):
    """Such a saver, which can also take back whole runs, as a rollback does."""

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Count: the table is kept whole, so that no two forks share what a version names.

        LangGraph's own versions are 49 characters, for each channel and for each node that has seen
        it. A thread that has them goes on with them.
        """
        if isinstance(current, str):
            return super().get_next_version(current, channel)
        return (current or 0) + 1

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Forget all checkpoints of some runs; it reads the metadata of all there are."""
        runs = json.dumps([str(run) for run in run_ids])
        await self.in_thread(self._delete_for_runs, runs)

    def _delete_for_runs(self, runs: str) -> None:
        with self.cursor() as cursor:
            cursor.execute(_DELETE_WRITES, [runs])
            cursor.execute(_DELETE_CHECKPOINTS, [runs])


@asynccontextmanager
async def in_sqlite(file: Path) -> AsyncIterator[SqliteSaver]:
    """A saver over a file, set up and open."""
    # A file that several open for the first time is locked, and SQLite's timeout does not wait.
    for wait in (*(0.05,) * 200, None):
        try:
            connection = await asyncio.to_thread(_connected, file)
            break
        except sqlite3.OperationalError:
            if wait is None:
                raise
            await asyncio.sleep(wait)
    with closing(connection):
        saver = SqliteSaver(connection)
        try:
            yield saver
        finally:
            await saver.done()


def _connected(file: Path) -> sqlite3.Connection:
    """A connection to a file in which there are LangGraph's tables."""
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(file, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        # A killed process loses nothing; after a power cut the run goes on from an earlier step.
        connection.execute("PRAGMA synchronous = NORMAL")
        BlockingSaver(connection).setup()
    except BaseException:
        connection.close()
        raise
    return connection


def _each(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """What came of each call; one that fails does not keep the others from being made."""
    came: list[Any] = []
    for call in calls:
        try:
            came.append(call())
        except Exception as error:
            came.append(error)
    return came
