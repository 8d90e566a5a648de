"""Checkpoints in a Postgres database."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from shapley_coop.extras import needing
from shapley_coop.state.storage.bounded import BoundedAsyncConnection, parameters, seconds
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
        DELETE FROM checkpoints WHERE thread_id = %(thread)s AND metadata ->> 'run_id' = %(run)s
        RETURNING thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id
    ), before AS (
        SELECT thread_id, checkpoint_ns, parent_checkpoint_id FROM gone
        EXCEPT
        SELECT thread_id, checkpoint_ns, parent_checkpoint_id FROM checkpoints
        WHERE thread_id = %(thread)s AND metadata ->> 'run_id' IS DISTINCT FROM %(run)s
    )
    DELETE FROM checkpoint_writes WHERE (thread_id, checkpoint_ns, checkpoint_id) IN (
        SELECT thread_id, checkpoint_ns, checkpoint_id FROM gone
    ) OR (idx >= 0 AND (thread_id, checkpoint_ns, checkpoint_id) IN (SELECT * FROM before))
"""
"""With the writes of the checkpoint at which the run began, unless another run follows it too: with
them its first tasks would count as done."""

_THREADS = "SELECT DISTINCT thread_id FROM checkpoints WHERE metadata ->> 'run_id' = %s"


class PostgresSaver(ServerSaverMixin, AsyncPostgresSaver):
    """LangGraph's saver, which can also delete a run of a thread, as a rollback does.

    Its pool of one connection reconnects after the database was restarted.
    """

    def __init__(self, pool: Pool) -> None:
        # The pool's type is invariant: one of a subclass of its connections is no such pool.
        super().__init__(cast(Any, pool), serde=StrictSerializer())
        self._pool = pool

    async def _threads_of(self, run: str) -> list[str]:
        async with self._pool.connection() as connection:
            found = await connection.execute(_THREADS, [run])
            return [row["thread_id"] for row in await found.fetchall()]

    async def _delete_run(self, thread: str, run: str) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(_DELETE_RUN, {"thread": thread, "run": run})


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
        yield saver


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
