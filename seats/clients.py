"""HTTP clients and the models on them: one set per event loop, closed by who leaves it last."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from langchain_core.language_models import BaseChatModel

from shapley_coop.seats.seat import Seat


@dataclass
class Clients:
    """What is bound to one event loop and must not cross to another.

    Attributes:
        http: the transport under every OpenAI-compatible seat, from its first use on.
        models: built once per seat, on that transport.
        users: how many blocks of `clients` are open.
    """

    http: Any = None
    models: dict[Seat, BaseChatModel] = field(default_factory=dict)
    users: int = 0


_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, Clients] = WeakKeyDictionary()


def clients_here() -> Clients:
    """This event loop's clients; outside any loop a set of its own."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return Clients()
    return _loops.setdefault(loop, Clients())


@asynccontextmanager
async def clients() -> AsyncIterator[None]:
    """Keep this event loop's clients open; the last of several blocks to end closes them."""
    here = clients_here()
    here.users += 1
    try:
        yield
    finally:
        here.users -= 1
        if not here.users:
            # A model that is asked for later is built anew.
            _loops.pop(asyncio.get_running_loop(), None)
            if here.http is not None:
                await here.http.aclose()
