"""Checkpoints in a Postgres database."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)

from shapley_coop.extras import needing
from shapley_coop.state.storage.bounded import BoundedAsyncConnection, parameters, seconds
from shapley_coop.state.storage.checkpoints.owed import Owed, Put, Written, made_of, thread_of
from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer
from shapley_coop.state.storage.checkpoints.server_mixin import ServerSaverMixin

with needing("postgres", "a home in Postgres"):
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from psycopg.rows import DictRow, dict_row
    from psycopg_pool import AsyncConnectionPool

# It would tell of each try to connect again, beside the one line that the error is told in.
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)

Pool = AsyncConnectionPool[BoundedAsyncConnection[DictRow]]

_SET_UP_LOCK = 5_311_847
_SET_UP_SECONDS = 60

_DELETE_RUN = """
    WITH gone AS (
        DELETE FROM checkpoints WHERE thread_id = %s AND metadata ->> 'run_id' = %s
        RETURNING thread_id, checkpoint_ns, checkpoint_id
    )
    DELETE FROM checkpoint_writes USING gone
    WHERE checkpoint_writes.thread_id = gone.thread_id
    AND checkpoint_writes.checkpoint_ns = gone.checkpoint_ns
    AND checkpoint_writes.checkpoint_id = gone.checkpoint_id
"""

_THREADS = "SELECT DISTINCT thread_id FROM checkpoints WHERE metadata ->> 'run_id' = %s"


class _Owing(AsyncPostgresSaver):
    """LangGraph's saver, which keeps several steps of a thread in one transaction."""

    def __init__(self, pool: Pool) -> None:
        # The pool's type is invariant: one of a subclass of its connections is no such pool.
        super().__init__(cast(Any, pool), serde=StrictSerializer())
        self._pool = pool
        self._owed = Owed(self._keep_all)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        await self.keep(thread_of(config))
        return await super().aget_tuple(config)

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints, newest first."""
        await self._owed.keep_for(config)
        async for found in super().alist(config, **options):
            yield found

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Read what was written to some channels."""
        await self.keep(thread_of(config))
        return await super().aget_delta_channel_history(config=config, channels=channels)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep the writes of a task once the thread is read, or soon."""
        self._owed.add(Written(config, [*writes], task_id, task_path))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint once the thread is read, or soon."""
        self._owed.add(put := Put(config, checkpoint, metadata, new_versions))
        if self._owed.is_urgent(thread := thread_of(config), metadata):
            await self.keep(thread)
        return put.config

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread."""
        await self.forget(str(thread_id))
        await super().adelete_thread(thread_id)

    async def drained(self) -> None:
        """Wait until all is kept.

        Raises:
            Exception: it cannot be.
        """
        await self._owed.drained()

    async def keep(self, thread: str) -> None:
        """Keep what is owed to a thread."""
        await self._owed.keep(thread)

    async def forget(self, thread: str) -> None:
        """Owe a thread nothing more."""
        await self._owed.drop(thread)

    async def _keep_all(self, owed: Sequence[Written | Put]) -> None:
        """Keep all of that, or nothing."""
        async with (
            self.lock,
            self._pool.connection() as connection,
            connection.pipeline() as pipeline,
            connection.transaction(),
        ):
            saver = AsyncPostgresSaver(connection, pipeline, self.serde)
            for one in owed:
                if isinstance(one, Put):
                    await saver.aput(one.at, one.checkpoint, one.metadata, one.versions)
                elif (made := made_of(one, owed)) is None:
                    await saver.aput_writes(one.at, one.writes, one.task, one.path)
                elif rows := await asyncio.to_thread(one.beside, made, self.serde):
                    await connection.cursor().executemany(self.INSERT_CHECKPOINT_WRITES_SQL, rows)


class PostgresSaver(ServerSaverMixin, _Owing):
    """That saver, which can also delete a run of a thread, as a rollback does.

    Its pool of one connection reconnects after the database was restarted.
    """

    async def _threads_of(self, run: str) -> list[str]:
        await self._owed.drained()
        async with self._pool.connection() as connection:
            found = await connection.execute(_THREADS, [run])
            return [row["thread_id"] for row in await found.fetchall()]

    async def _delete_run(self, thread: str, run: str) -> None:
        await self.keep(thread)
        async with self._pool.connection() as connection:
            await connection.execute(_DELETE_RUN, [thread, run])


@asynccontextmanager
async def in_postgres(url: str) -> AsyncIterator[PostgresSaver]:
    """An open saver, with its tables in place."""
    settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(
        url,
        connection_class=BoundedAsyncConnection[DictRow],
        kwargs={**settings, **parameters()},
        timeout=seconds(),
        min_size=1,
        max_size=1,  # the saver asks for one connection at a time
        check=AsyncConnectionPool.check_connection,
        open=False,
    ) as pool:
        saver = PostgresSaver(pool)
        await _set_up(saver, pool)
        try:
            yield saver
        finally:
            await saver.drained()


async def _set_up(saver: PostgresSaver, pool: Pool) -> None:
    """Make LangGraph's tables, one process at a time.

    The lock is polled: a process that waits inside a statement would hold up the indexes that
    LangGraph creates concurrently, which wait for every statement that runs.

    Raises:
        TimeoutError: another process has been at it for a minute.
    """
    async with asyncio.timeout(_SET_UP_SECONDS):
        # Another process's lock gives no event to wait for.
        while not await _asked(pool, "SELECT pg_try_advisory_lock(%s) AS held"):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        try:
            await saver.setup()
        finally:
            await _asked(pool, "SELECT pg_advisory_unlock(%s) AS held")


async def _asked(pool: Pool, statement: str) -> bool:
    # The pool has one connection, so that it takes and frees the same session's lock.
    async with pool.connection() as connection:
        found = await (await connection.execute(statement, [_SET_UP_LOCK])).fetchone()
        return bool(found and found["held"])
