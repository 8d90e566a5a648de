"""Checkpoints in a SQLite file."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
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


def _threaded(method: str) -> Any:
    """The asynchronous twin of a blocking saver's method, looked up when it is called."""

    async def twin(saver: "_Threaded", *args: Any, **options: Any) -> Any:
        return await saver.in_thread(partial(getattr(saver, method), *args, **options))

    return twin


class _Threaded(BlockingSaver):
    """LangGraph's blocking saver, called in a thread, one call for all that wait.

    LangGraph's own asynchronous saver switches threads three times for each write.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, serde=StrictSerializer())
        self._batcher = ThreadBatcher[Callable[[], Any], Any](_call_each)
        self.in_thread = self._batcher.do
        self.drained = self._batcher.drained

    aget_tuple = _threaded("get_tuple")
    aput = _threaded("put")
    aput_writes = _threaded("put_writes")
    adelete_thread = _threaded("delete_thread")
    aget_delta_channel_history = _threaded("get_delta_channel_history")

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints, newest first."""
        for checkpoint in await self.in_thread(lambda: list(self.list(config, **options))):
            yield checkpoint


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

        return list(await self.in_thread(find))

    async def _delete_run(self, thread: str, run: str) -> None:
        def delete() -> None:
            with self.cursor() as cursor:
                cursor.execute(_DELETE_WRITES, [thread, run])
                cursor.execute(_DELETE_CHECKPOINTS, [thread, run])

        await self.in_thread(delete)


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
