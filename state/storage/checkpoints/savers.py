"""LangGraph's checkpoints: SQLite by default, Postgres by URL."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from langgraph.checkpoint.base import BaseCheckpointSaver

from shapley_coop.state.storage.checkpoints.strict import Listener
from shapley_coop.state.storage.home import Home


@asynccontextmanager
async def saver(
    home: Home, listener: Listener | None = None
) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The checkpoint saver of a home, set up and open.

    Args:
        home: where.
        listener: hears of every checkpoint of a table, once it is kept.
    """
    if home.database:
        from shapley_coop.state.storage.checkpoints.postgres import in_postgres

        async with in_postgres(home.database) as postgres:
            postgres.listener = listener
            yield postgres
            await postgres.deleted()
    else:
        from shapley_coop.state.storage.checkpoints.sqlite import in_sqlite

        await asyncio.to_thread(home.folder.mkdir, parents=True, exist_ok=True)
        async with in_sqlite(home.checkpoints) as sqlite:
            sqlite.listener = listener
            yield sqlite
            await sqlite.deleted()


@dataclass
class _Shared:
    """A saver that several blocks use."""

    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    saver: BaseCheckpointSaver[Any] | None = None


_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Home, _Shared]] = WeakKeyDictionary()


@asynccontextmanager
async def shared_saver(home: Home) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The event loop's one saver of a home; the last of several blocks to end closes it.

    Args:
        home: where.
    """
    homes = _loops.setdefault(asyncio.get_running_loop(), {})
    here = homes.setdefault(home, _Shared())
    here.users += 1
    try:
        async with here.opening:
            if here.saver is None:
                here.saver = await here.stack.enter_async_context(saver(home))
        yield here.saver
    finally:
        here.users -= 1
        if not here.users:
            # Whoever comes while it closes opens another.
            del homes[home]
            await here.stack.aclose()
