"""HTTP clients and chat models: one set per event loop, closed when its last user leaves."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables.config import ensure_config

from shapley_coop import extension
from shapley_coop.seats.records import Answer
from shapley_coop.seats.seat import Seat
from shapley_coop.seats.stopping import Stopping

logger = logging.getLogger(__name__)

Ask = Callable[[float], Awaitable[Answer]]
"""A function that asks a seat once, with extra seconds for the answer; it may raise SeatError."""

Gate = Callable[[Seat, Any, Ask], Awaitable[Answer]]
"""A function that delays or limits a call, given the seat, the letter, and what asks once."""


@dataclass
class Clients:
    """The clients and resources that belong to one event loop and must not be used in another.

    Attributes:
        http: the transport of every OpenAI-compatible seat; None before its first use.
        models: the chat models, built once per seat.
        users: the number of open `with` blocks of `clients`.
        kept: other resources with the same lifetime, by key.
        opening: the lock that a task holds while it opens a resource of `kept`.
        closing: the exit stack that closes the resources of `kept`.
        gate: the gate of all calls to models; None unless a sweep of this process sets it.
        deaf: seats whose endpoint answered in words although the request forced a tool call.
        unbounded: seats whose endpoint refused the bounds in a schema.
        batched: the client that replaces `http` if a sweep sends letters in batches; else None.
        stopping: the request to stop the runs of this event loop.
    """

    http: Any = None
    models: dict[Seat, BaseChatModel] = field(default_factory=dict)
    users: int = 0
    kept: dict[Hashable, Any] = field(default_factory=dict)
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    closing: AsyncExitStack = field(default_factory=AsyncExitStack)
    gate: Gate | None = None
    deaf: set[Seat] = field(default_factory=set)
    unbounded: set[Seat] = field(default_factory=set)
    batched: Any = None
    stopping: Stopping = field(default_factory=Stopping)


_BOUNDS = re.compile("(max|min)(Length|Items|imum)|pattern")
"""The keywords of schemas for which an endpoint may refuse bounds."""

_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, Clients] = WeakKeyDictionary()


def clients_here() -> Clients:
    """Return this event loop's clients, or a new set if no event loop is running."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return Clients()
    if (here := _loops.get(loop)) is None:
        here = _loops[loop] = Clients()
    return here


def gate_here() -> Gate | None:
    """Return the gate of this event loop, or one that the run's metadata names, or None."""
    if gate := clients_here().gate:
        return gate
    told = ensure_config().get("metadata") or {}
    for key in told.keys() & extension.offered("gates"):
        return partial(extension.load("gates", key), told[key])
    return None


@asynccontextmanager
async def clients() -> AsyncIterator[None]:
    """Keep this event loop's clients open in a `with` block; the last to end closes them."""
    here = clients_here()
    here.users += 1
    try:
        yield
    finally:
        here.users -= 1
        if not here.users:
            # The next caller that needs a model in this loop gets a new one, with new HTTP clients.
            _loops.pop(asyncio.get_running_loop(), None)
            try:
                await here.closing.aclose()
            finally:
                if here.http is not None:
                    await here.http.aclose()


def is_bounded(seat: Seat) -> bool:
    """Return whether a seat's schemas limit the length of texts and lists (`seats.bounds`)."""
    return (seat.base_url or "").startswith("http:") and seat not in clients_here().unbounded


def refuses_bounds(error: Exception, seat: Seat) -> bool:
    """Return whether an endpoint refused a schema's bounds; if so, log it and send no bounds."""
    refused = getattr(error, "status_code", None) in (400, 422)
    if not refused or not is_bounded(seat) or not _BOUNDS.search(str(error)):
        return False
    clients_here().unbounded.add(seat)
    logger.warning("%s refuses bounds in schemas: it is asked without.", seat.model)
    return True
