"""HTTP to an agent of somebody else: bounded, without redirects, with one agent's token."""

from collections.abc import AsyncIterator

import httpx

from shapley_coop.seats.faults import AnswerTooLarge

LARGEST = 1 << 20
"""Bytes of a card, and of all that comes in reply to one request."""


class _Bounded(httpx.AsyncByteStream):
    """A body that ends with an error where it is larger than it may be."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        had = 0
        async for chunk in self._stream:
            had += len(chunk)
            if had > LARGEST:
                raise AnswerTooLarge(LARGEST)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class BoundedTransport(httpx.AsyncHTTPTransport):
    """Reads no more of a response than it may have, and nothing that is compressed.

    A compressed body could unpack to any size; it is not asked for.
    """

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request."""
        request.headers["accept-encoding"] = "identity"
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx.DecodingError("it is compressed, which was not asked for", request=request)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Bounded(response.stream)
        return response


def client(token: str, timeout: float) -> httpx.AsyncClient:
    """Return a client for one agent.

    Args:
        token: what it is sent as a bearer; empty for none.
        timeout: seconds for which it may stay silent.
    """
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.AsyncClient(
        transport=BoundedTransport(),
        headers=headers,
        timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
        follow_redirects=False,
        trust_env=False,
    )
