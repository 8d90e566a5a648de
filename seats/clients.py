"""HTTP clients and the models on them: one set per event loop, closed when its last user leaves.

The size of a response is limited, both as sent and as unpacked: see `bounded`.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from langchain_core.language_models import BaseChatModel

from shapley_coop.seats.gate import Gate
from shapley_coop.seats.seat import Seat

LARGEST_BODY, LARGEST_STREAM, LARGEST_FILE = 16 << 20, 64 << 20, 1 << 30
"""Bytes of an answer, of one in events, and of a batch's answers, compressed or not."""

LARGEST_EVENT = 8 << 20
"""Bytes between two line ends of a stream: readers join them from the beginning again and again."""

_UNPACKED = {"gzip": 31, "x-gzip": 31, "deflate": 47}
"""Encoding → zlib's window bits."""


class AnswerTooLarge(Exception):
    """An endpoint sends more than an answer can be; the text says how much was read."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the answer is larger than {most >> 20} MB")


class WebPage(Exception):
    """An endpoint sends a web page in the place of an answer."""


async def bounded(response: Any) -> None:
    """Bound what is read of a response: a hook of the HTTP client, called before the body is read.

    Raises:
        WebPage: there is no use in reading it.
    """
    if response.is_redirect or response.is_error:
        kind = ""
    else:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml"):
        raise WebPage
    encoding = response.headers.pop("content-encoding", "identity").strip().lower()
    file = response.request.url.path.endswith("/content")
    events = kind == "text/event-stream"
    response.stream = _bounded_stream(response.stream, encoding, events, file)


def _bounded_stream(stream: Any, encoding: str, events: bool, file: bool = False) -> Any:
    """A response's stream, unpacked within a limit, which the client's own unpacking lacks."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            most = LARGEST_STREAM if events else LARGEST_FILE if file else LARGEST_BODY
            sent = told = line = 0
            unpack = _unpacking(encoding)
            async for packed in stream:
                sent += len(packed)
                # One byte more than may be: so much is unpacked and no more.
                chunk = unpack(packed, most - told + 1)
                told += len(chunk)
                line = len(chunk) - chunk.rfind(b"\n") if b"\n" in chunk else line + len(chunk)
                if max(sent, told) > most:
                    raise AnswerTooLarge(most)
                if events and line > LARGEST_EVENT:
                    raise AnswerTooLarge(LARGEST_EVENT)
                yield chunk

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()


def _unpacking(encoding: str) -> Callable[[bytes, int], bytes]:
    """A function of a chunk and the most bytes to unpack, which gives the unpacked bytes."""
    import httpx2

    if encoding in ("", "identity"):
        return lambda packed, most: packed
    if encoding not in _UNPACKED:
        raise httpx2.DecodingError(f"{encoding[:40]} was not asked for")
    machine = zlib.decompressobj(_UNPACKED[encoding])

    def unpack(packed: bytes, most: int) -> bytes:
        try:
            return machine.decompress(packed, most)
        except zlib.error as error:
            raise httpx2.DecodingError(str(error)) from None

    return unpack


@dataclass
class Clients:
    """What is bound to one event loop and must not cross to another.

    Attributes:
        http: the transport of every OpenAI-compatible seat; None before its first use.
        models: built once per seat, on that transport.
        links: clients of agents on other machines, by seat and agent.
        users: how many blocks of `clients` are open.
        kept: other resources with the same lifetime, by key.
        opening: the lock under which these are opened.
        closing: the exit stack that closes them.
        gate: limits the calls to models, where a sweep sets one.
        batched: takes the place of `http` where a sweep asks OpenAI-compatible seats in batches.
    """

    http: Any = None
    models: dict[Seat, BaseChatModel] = field(default_factory=dict)
    links: dict[tuple[Seat, str], asyncio.Future[Any]] = field(default_factory=dict)
    users: int = 0
    kept: dict[Hashable, Any] = field(default_factory=dict)
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    closing: AsyncExitStack = field(default_factory=AsyncExitStack)
    gate: Gate | None = None
    batched: Any = None


_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, Clients] = WeakKeyDictionary()


def clients_here() -> Clients:
    """This event loop's clients; outside any loop a set of its own."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return Clients()
    if (here := _loops.get(loop)) is None:
        here = _loops[loop] = Clients()
    return here


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
            try:
                await here.closing.aclose()
            finally:
                if here.http is not None:
                    await here.http.aclose()
                for link in here.links.values():
                    if link.done() and not link.cancelled() and not link.exception():
                        await link.result().close()
