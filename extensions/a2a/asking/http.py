"""The HTTP client for a remote agent; it limits responses and follows no redirects."""

from collections.abc import AsyncIterator

import httpx

from shapley_coop.seats.faults import AnswerTooLarge

LARGEST = 1 << 20
"""The most bytes of a card, and of the whole response to any request."""


class _Bounded(httpx.AsyncByteStream):
    """A response body that raises `AnswerTooLarge` once it exceeds `LARGEST` bytes."""

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
    """A transport that limits the size of responses and refuses compressed ones.

    A compressed body could unpack to any size, so requests ask for uncompressed bodies.
    """

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its bounded response."""
        request.headers["accept-encoding"] = "identity"
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx.DecodingError(
                "the response is compressed, although no compression was requested", request=request
            )
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Bounded(response.stream)
        return response


def client(token: str, timeout: float) -> httpx.AsyncClient:
    """Return a client for one agent.

    Args:
        token: the bearer token for the agent; empty for none.
        timeout: the most seconds for which the agent may be silent.
    """
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.AsyncClient(
        transport=BoundedTransport(),
        headers=headers,
        timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
        follow_redirects=False,
        trust_env=False,
    )
