"""Checkpoints in a Postgres database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer
from shapley_coop.state.storage.checkpoints.server_mixin import ServerSaverMixin

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


class PostgresSaver(ServerSaverMixin, AsyncPostgresSaver):
    """LangGraph's saver, which can also delete a run of a thread, as a rollback does.

    Its pool of one connection reconnects after the database was restarted.
    """

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[DictRow]]) -> None:
        super().__init__(pool, serde=StrictSerializer())
        self._pool = pool

    async def _threads_of(self, run: str) -> list[str]:
        async with self._pool.connection() as connection:
            found = await connection.execute(_THREADS, [run])
            return [row["thread_id"] for row in await found.fetchall()]

    async def _delete_run(self, thread: str, run: str) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(_DELETE_RUN, [thread, run])


@asynccontextmanager
async def in_postgres(url: str) -> AsyncIterator[PostgresSaver]:
    """An open saver, with its tables in place."""
    async with AsyncConnectionPool(
        url,
        connection_class=AsyncConnection[DictRow],
        kwargs={"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row},
        min_size=1,
        max_size=1,  # the saver asks for one connection at a time
        check=AsyncConnectionPool.check_connection,
        open=False,
    ) as pool:
        saver = PostgresSaver(pool)
        await saver.setup()
        yield saver
