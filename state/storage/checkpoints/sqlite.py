"""Checkpoints in a SQLite file."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.sqlite import SqliteSaver as BlockingSaver

from shapley_coop.state.storage.at_rest import private_file, private_folder
from shapley_coop.state.storage.batcher import ThreadBatcher
from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer
from shapley_coop.state.storage.checkpoints.server_mixin import ServerSaverMixin
from shapley_coop.state.storage.engine import BUSY_SECONDS
from shapley_coop.state.storage.versions import CHECKPOINTS, check_known

_BY_RUN = "json_extract(CAST(metadata AS TEXT), '$.run_id') = ?"
_THREADS = f"SELECT DISTINCT thread_id FROM checkpoints WHERE {_BY_RUN}"  # noqa: S608 - constants
_OF_RUN = f"thread_id = ? AND {_BY_RUN}"
_DELETE_WRITES = f"""
    DELETE FROM writes WHERE (thread_id, checkpoint_ns, checkpoint_id) IN (
        SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints WHERE {_OF_RUN}
    )
"""  # noqa: S608
_DELETE_CHECKPOINTS = f"DELETE FROM checkpoints WHERE {_OF_RUN}"  # noqa: S608


_PLACE = ("checkpoint_ns", "checkpoint_id")
_KEEP = """
    INSERT OR IGNORE INTO writes
    (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

_LINGER = 0.05
"""Seconds that a task's writes wait for the checkpoint after them, which mostly comes at once."""


@dataclass(frozen=True, eq=False)
class _Written:
    """What a task wrote, and is not kept yet.

    Attributes:
        at: the checkpoint at which the task began.
        writes: channel and value, in order.
        task: its id.
        path: its place among the tasks of its step.
        whole: whether it is being kept without a checkpoint after it.
    """

    at: RunnableConfig
    writes: Sequence[tuple[str, Any]]
    task: str
    path: str
    whole: bool = False

    def leads_to(self, config: RunnableConfig) -> bool:
        """Whether a checkpoint of this configuration is made of it, and of nothing kept before."""
        here, there = self.at["configurable"], config["configurable"]
        follows = all(here.get(key) == there.get(key) for key in _PLACE)
        return follows and not self.whole and not any(w[0] in WRITES_IDX_MAP for w in self.writes)


class _Threaded(BlockingSaver):
    """LangGraph's blocking saver, called in a thread, one call for all that wait.

    LangGraph's own asynchronous saver switches threads three times for each write.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, serde=StrictSerializer())
        self._batcher = ThreadBatcher[Callable[[], Any], Any](_call_each)
        self._owed: dict[str, list[_Written]] = {}  # thread → in order
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._flushing: set[asyncio.Task[None]] = set()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        found: CheckpointTuple | None = await self.in_thread(
            _thread_of(config), partial(self.get_tuple, config)
        )
        return found

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints, newest first."""
        if config is None:
            await self.drained()
        listed = partial(self.list, config, **options)
        for found in await self.in_thread(_thread_of(config), lambda: list(listed())):
            yield found

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Read what was written to some channels."""
        read = partial(self.get_delta_channel_history, config=config, channels=channels)
        found: Mapping[str, DeltaChannelHistory] = await self.in_thread(_thread_of(config), read)
        return found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint."""
        put = partial(self.put, config, checkpoint, metadata, new_versions)
        kept: RunnableConfig = await self.in_thread(_thread_of(config), put, config, checkpoint)
        return kept

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep the writes of a task, right before what is called next for its thread.

        That is mostly the checkpoint of the same step. Where none follows, because others of the
        step are still asked, they are kept by themselves soon.
        """
        thread = _thread_of(config)
        self._owed.setdefault(thread, []).append(_Written(config, [*writes], task_id, task_path))
        if thread not in self._timers:
            loop = asyncio.get_running_loop()
            self._timers[thread] = loop.call_later(_LINGER, self._flush_soon, thread)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread."""
        await self.in_thread(thread_id, partial(self.delete_thread, thread_id))

    async def in_thread(
        self,
        thread: str,
        call: Callable[[], Any],
        config: RunnableConfig | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> Any:
        """Make a call after the writes that are owed to a thread, and not if one of them fails.

        Args:
            thread: the thread.
            call: the call.
            config: of the checkpoint that it keeps, if it does.
            checkpoint: that checkpoint.

        Raises:
            Exception: the error of the call, or of a write.
        """
        owed = tuple(self._owed.get(thread, ()))
        if timer := self._timers.pop(thread, None):
            timer.cancel()

        def in_order() -> Any:
            with self.conn:  # what is kept with the call is rolled back if it fails
                for one in owed:
                    if config and checkpoint and one.leads_to(config):
                        self._keep_with(checkpoint, one)
                    else:
                        self.put_writes(one.at, one.writes, one.task, one.path)
                return call()

        try:
            return await self._batcher.do(in_order)
        finally:
            later = [one for one in self._owed.pop(thread, ()) if one not in owed]
            if later:
                self._owed[thread] = later

    def _keep_with(self, checkpoint: Checkpoint, one: _Written) -> None:
        """Keep, in the next checkpoint's transaction, what was written and it does not hold.

        That is what was added to a `DeltaChannel`. It is no task's any more, so that the task is
        done again if the next checkpoint is taken back.
        """
        place, held = one.at["configurable"], checkpoint["channel_values"]
        at = (place["thread_id"], *(place[key] for key in _PLACE), f"{one.task}+", one.path)
        self.conn.executemany(
            _KEEP,
            [
                (*at, number, channel, *self.serde.dumps_typed(value))
                for number, (channel, value) in enumerate(one.writes)
                if channel not in held
            ],
        )

    async def drained(self) -> None:
        """Wait until all is kept.

        Raises:
            Exception: it cannot be.
        """
        for thread in tuple(self._owed):
            await self.in_thread(thread, _nothing)
        await self._batcher.drained()

    def _flush_soon(self, thread: str) -> None:
        flushing = asyncio.create_task(self._flush(thread))
        self._flushing.add(flushing)
        flushing.add_done_callback(self._flushing.discard)

    async def _flush(self, thread: str) -> None:
        owed = [replace(one, whole=True) for one in self._owed.get(thread, ())]
        self._owed[thread] = owed
        try:
            await self.in_thread(thread, _nothing)
        except Exception:  # whoever calls next makes them again, and is told
            self._owed[thread] = [*owed, *self._owed.get(thread, ())]


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

        return list(await self.in_thread("", find))

    async def _delete_run(self, thread: str, run: str) -> None:
        def delete() -> None:
            with self.cursor() as cursor:
                cursor.execute(_DELETE_WRITES, [thread, run])
                cursor.execute(_DELETE_CHECKPOINTS, [thread, run])

        await self.in_thread(thread, delete)


def _thread_of(config: RunnableConfig | None) -> str:
    return str(config["configurable"].get("thread_id", "")) if config else ""


def _nothing() -> None:
    pass


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
    private_folder(file.parent)
    private_file(file)
    connection = sqlite3.connect(file, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        # A killed process loses nothing; after a power cut a run resumes from an earlier step.
        connection.execute("PRAGMA synchronous = NORMAL")
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        check_known("this home's file of checkpoints", found, CHECKPOINTS)
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
