"""Opens the checkpoint saver of a home: SQLite by default, Postgres by URL."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from shapley_coop.seats.clients import clients, clients_here
from shapley_coop.state.storage.checkpoints.home_saver import HomeSaver, Listener, Starting
from shapley_coop.state.storage.home import Home


@asynccontextmanager
async def saver(
    home: Home,
    listener: Listener | None = None,
    starting: Starting | None = None,
) -> AsyncIterator[HomeSaver]:
    """The open checkpoint saver of a home.

    Args:
        home: the home.
        listener: called for every checkpoint of a table, once it is kept.
        starting: called before this process first plays a run; what it raises ends the run.
    """
    # A server's threads may have owners; their book refuses a home of another version.
    owners = await asyncio.to_thread(lambda: home.owners) if listener else None
    async with _open_saver(home) as kept:
        kept.owners = owners
        kept.listener, kept.starting = listener, starting
        yield kept
        await kept.deleted()


def _open_saver(home: Home) -> AbstractAsyncContextManager[HomeSaver]:
    if home.database:
        from shapley_coop.state.storage.checkpoints.postgres import in_postgres

        return in_postgres(home.database)
    from shapley_coop.state.storage.checkpoints.sqlite import in_sqlite

    return in_sqlite(home.checkpoints)


@asynccontextmanager
async def shared_saver(home: Home) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The event loop's one saver of a home, open as long as the loop's clients are.

    To open and close a file, and to look whether its tables are there, costs as much as several
    turns: whoever plays many runs keeps the clients open, and with them the saver.
    """
    async with clients():
        here = clients_here()
        async with here.opening:
            if home not in here.kept:
                here.kept[home] = await here.closing.enter_async_context(saver(home))
        yield here.kept[home]
