"""LangGraph's checkpoints: SQLite by default, Postgres by URL, strict about what they load."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from seats.database import BUSY_SECONDS
from state.home import Home


@asynccontextmanager
async def saver(home: Home) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The checkpoint saver of a home, set up and open."""
    if home.database:
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

        async with AsyncPostgresSaver.from_conn_string(home.database, serde=strict()) as postgres:
            await postgres.setup()
            yield postgres
        return
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    home.folder.mkdir(parents=True, exist_ok=True)
    async with aiosqlite.connect(home.checkpoints, timeout=BUSY_SECONDS) as connection:
        # A killed process loses nothing; after a power cut the run goes on from an earlier step.
        await connection.execute("PRAGMA synchronous = NORMAL")
        sqlite = AsyncSqliteSaver(connection, serde=strict())
        await sqlite.setup()
        yield sqlite


def strict() -> JsonPlusSerializer:
    """A serializer that builds no object from a checkpoint: the state is plain JSON."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)
