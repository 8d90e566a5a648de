"""Opens the checkpoint saver of a home: SQLite by default, Postgres by URL."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from langgraph.checkpoint.base import BaseCheckpointSaver

from shapley_coop.state.storage.checkpoints.server_mixin import Listener, ServerSaverMixin, Starting
from shapley_coop.state.storage.home import Home


@asynccontextmanager
async def saver(
    home: Home, listener: Listener | None = None, starting: Starting | None = None
) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The open checkpoint saver of a home.

    Args:
        home: the home.
        listener: called for every checkpoint of a table, once it is kept.
        starting: called before this process first plays a run; what it raises ends the run.
    """
    async with _opened(home) as kept:
        kept.listener, kept.starting = listener, starting
        if listener:  # a server's: threads may have owners
            kept.owners = await asyncio.to_thread(lambda: home.owners)
        yield kept
        await kept.deleted()


def _opened(home: Home) -> AbstractAsyncContextManager[ServerSaverMixin]:
    if home.database:
        from shapley_coop.state.storage.checkpoints.postgres import in_postgres

        return in_postgres(home.database)
    from shapley_coop.state.storage.checkpoints.sqlite import in_sqlite

    return in_sqlite(home.checkpoints)


@dataclass
class _Shared:
    """One saver with several users."""

    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    saver: BaseCheckpointSaver[Any] | None = None


_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Home, _Shared]] = WeakKeyDictionary()


@asynccontextmanager
async def shared_saver(home: Home) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The event loop's one saver of a home; its last user closes it."""
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
            # A user that comes while it closes opens another one.
            del homes[home]
            await here.stack.aclose()
