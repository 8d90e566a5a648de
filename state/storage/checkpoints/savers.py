"""The opening of a home's checkpoint saver: SQLite files, or a shared database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from shapley_coop.seats.clients import clients, clients_here
from shapley_coop.state.storage.checkpoints.home_saver import HomeSaver, Listener, Starting
from shapley_coop.state.storage.databases import driver
from shapley_coop.state.storage.home import Home


@asynccontextmanager
async def saver(
    home: Home,
    listener: Listener | None = None,
    starting: Starting | None = None,
) -> AsyncIterator[HomeSaver]:
    """Open the checkpoint saver of a home for the `with` block.

    Args:
        listener: a function called after each checkpoint of a table is stored.
        starting: a function called before this process first plays a run; its error stops the run.
    """
    # Only servers pass a listener, and only on servers do threads have owners.
    owners = await asyncio.to_thread(lambda: home.owners) if listener else None
    async with _open_saver(home) as kept:
        kept.owners = owners
        kept.listener, kept.starting = listener, starting
        yield kept
        await kept.deleted()


def _open_saver(home: Home) -> AbstractAsyncContextManager[HomeSaver]:
    if home.database:
        return driver(home.database).saver()
    from shapley_coop.state.storage.checkpoints.sqlite import in_sqlite

    return in_sqlite(home.checkpoints)


@asynccontextmanager
async def shared_saver(home: Home) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """Yield a home's saver, shared by an event loop and open until its block `clients()` ends.

    Opening a file and checking its tables costs as much as several turns of a game. So a caller
    that plays many runs keeps `clients()` open, and with them the saver.
    """
    async with clients():
        here = clients_here()
        async with here.opening:
            if home not in here.kept:
                here.kept[home] = await here.closing.enter_async_context(saver(home))
        yield here.kept[home]
