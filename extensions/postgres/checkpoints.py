"""The checkpoint saver for a Postgres database."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, DeltaChannelHistory

from shapley_coop.extensions.postgres.connections import is_alive, open_connection
from shapley_coop.extensions.postgres.dialect import PostgresStatements
from shapley_coop.extras import require_extra
from shapley_coop.state.storage.checkpoints.home_saver import HomeSaver
from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer

with require_extra("postgres", "a home in Postgres"):
    from langgraph.checkpoint.postgres import PostgresSaver as BlockingSaver
    from psycopg.rows import dict_row, tuple_row

_NUMBER = "ALTER TABLE checkpoints ADD COLUMN IF NOT EXISTS number BIGSERIAL"
"""The column that numbers checkpoints in the order of writing; their ids depend on clocks."""

_NUMBERED = """
    SELECT 1 FROM pg_attribute WHERE attrelid = 'checkpoints'::regclass AND attname = 'number'
"""
_WENT_BACK = """
    SELECT 1 FROM checkpoints
    WHERE thread_id = :thread AND parent_checkpoint_id > checkpoint_id LIMIT 1
"""
_SET_UP_LOCK = 5_311_847
_SET_UP_SECONDS = 60


class PostgresSaver(HomeSaver, BlockingSaver):
    """LangGraph's Postgres saver on one connection, which is renewed after a database restart.

    Args:
        url: the database's URL; LangGraph's tables are created if they are missing.
    """

    writes, run_of, number = "checkpoint_writes", "metadata ->> 'run_id'", "number"
    conn: Any

    def __init__(self, url: str) -> None:
        self._url = url
        super().__init__(self._connected(), serde=StrictSerializer())
        try:
            self._set_up()
        except BaseException:
            self.conn.close()
            raise

    def connect(self) -> None:
        """Reconnect if the connection is broken."""
        with self.lock:
            if not is_alive(self.conn):
                self.conn = self._connected()

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return the history of writes to some channels (keys of a graph's state).

        LangGraph's query assumes that ids of steps increase. If a clock went back, they may
        decrease, and this method reads each step separately.
        """
        thread = str(config["configurable"]["thread_id"])
        if self._execute([_WENT_BACK], thread=thread):
            step_by_step = BaseCheckpointSaver.get_delta_channel_history
            return step_by_step(self, config=config, channels=channels)
        return super().get_delta_channel_history(config=config, channels=channels)

    @contextmanager
    def transaction(self) -> Iterator[PostgresStatements]:
        """Open one transaction on the saver's connection."""
        with (
            self.lock,
            self.conn.transaction(),
            self.conn.cursor(row_factory=tuple_row) as cursor,
        ):
            yield PostgresStatements(cursor)

    def close(self) -> None:
        """Close the connection."""
        self.conn.close()

    def _call_each(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """Make calls in one transaction, which waits for the disk once; see `HomeSaver`.

        If one fails, all are repeated, each in a transaction of its own: a write that is repeated
        changes nothing.
        """
        self.connect()
        try:
            with self.conn.transaction():
                return [call() for call in calls]
        except Exception:
            return super()._call_each(calls)

    def _connected(self) -> Any:
        return open_connection(self._url, prepare_threshold=0, row_factory=dict_row)

    def _set_up(self) -> None:
        """Create LangGraph's tables, one process at a time.

        LangGraph creates indexes concurrently, and Postgres then waits for all running statements.
        So this method polls for its lock, because waiting in a statement would be a deadlock.

        Raises:
            TimeoutError: another process has held the lock for a minute.
        """
        gives_up = time.monotonic() + _SET_UP_SECONDS
        while not self._asked("SELECT pg_try_advisory_lock(%s) AS held"):
            if time.monotonic() > gives_up:
                raise TimeoutError("another process is creating the tables of checkpoints")
            time.sleep(0.05)
        try:
            self.setup()
            if self.conn.execute(_NUMBERED).fetchone() is None:
                self.conn.execute(_NUMBER)
        finally:
            self._asked("SELECT pg_advisory_unlock(%s) AS held")

    def _asked(self, statement: str) -> bool:
        return bool(self.conn.execute(statement, [_SET_UP_LOCK]).fetchone()["held"])


@asynccontextmanager
async def in_postgres(url: str) -> AsyncIterator[PostgresSaver]:
    """Open a saver, and create its tables if they are missing."""
    saver = await asyncio.to_thread(PostgresSaver, url)
    try:
        yield saver
    finally:
        await saver.end()
