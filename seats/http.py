"""The HTTP transport of OpenAI-compatible seats.

Import this module late: it loads the openai client. `bound_body` limits the size of a response,
both compressed and unpacked.
"""

import zlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
from openai import DefaultAioHttpClient

from shapley_coop.seats.clients import Clients
from shapley_coop.seats.faults import AnswerTooLarge, WebPage

LARGEST_BODY, LARGEST_STREAM, LARGEST_FILE = 16 << 20, 64 << 20, 1 << 30
"""Most bytes of a plain answer, of a streamed answer, and of a batch's file of answers."""

LARGEST_EVENT = 8 << 20
"""Most bytes of a line in a stream, because parsers rejoin an unfinished line for every chunk."""

_UNPACKED = {"gzip": 31, "x-gzip": 31, "deflate": 47}
"""Content encoding → zlib's parameter `wbits`."""


def http_client(here: Clients) -> Any:
    """Return the event loop's aiohttp transport, which follows no redirects."""
    if here.http is None:
        here.http = DefaultAioHttpClient(
            follow_redirects=False,
            headers={"accept-encoding": "gzip, deflate"},
            event_hooks={"response": [bound_body]},
        )
    return here.http


async def bound_body(response: Any) -> None:
    """Limit the size of a response: the HTTP client calls this hook before it reads the body.

    Raises:
        WebPage: the response is a web page and no answer.
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
    response.stream = Bounded(response.stream, encoding, events, file)


class Bounded(httpx2.AsyncByteStream):
    """A response's stream, unpacked up to a size limit; the client's own unpacking has no limit."""

    def __init__(self, stream: Any, encoding: str, events: bool, file: bool = False) -> None:
        self._stream, self._encoding, self._events = stream, encoding, events
        self._most = LARGEST_STREAM if events else LARGEST_FILE if file else LARGEST_BODY

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the unpacked chunks."""
        sent = told = line = 0
        unpack = _unpacker(self._encoding)
        async for packed in self._stream:
            sent += len(packed)
            # One byte beyond the limit is enough to see that the answer is too large.
            chunk = unpack(packed, self._most - told + 1)
            told += len(chunk)
            line = len(chunk) - chunk.rfind(b"\n") if b"\n" in chunk else line + len(chunk)
            if max(sent, told) > self._most:
                raise AnswerTooLarge(self._most)
            if self._events and line > LARGEST_EVENT:
                raise AnswerTooLarge(LARGEST_EVENT)
            yield chunk

    async def aclose(self) -> None:
        """Close the underlying stream."""
        await self._stream.aclose()


def _unpacker(encoding: str) -> Callable[[bytes, int], bytes]:
    """Return a function from a packed chunk and a size limit in bytes to the unpacked bytes."""
    if encoding in ("", "identity"):
        return lambda packed, most: packed
    if encoding not in _UNPACKED:
        raise httpx2.DecodingError(f"the encoding {encoding[:40]} was not requested")
    machine = zlib.decompressobj(_UNPACKED[encoding])

    def unpack(packed: bytes, most: int) -> bytes:
        try:
            return machine.decompress(packed, most)
        except zlib.error as error:
            raise httpx2.DecodingError(str(error)) from None

    return unpack
