"""The connection to one LangGraph server, which may be away for a while."""

import asyncio
import os
import time
import warnings
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import (
    AuthenticationError,
    ConflictError,
    InternalServerError,
    LangGraphError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
)

from shapley_coop.seats.clients import clients_here

TOKENS = ("COOP_REMOTE_TOKEN", "LANGGRAPH_API_KEY")
"""The environment variables of the servers' token; the first that is set is sent."""

PATIENCE = 600.0
"""The seconds for which a server that answered before may give no answer."""

_PAUSE = 1.0
_ASKS_AGAIN = "Request failed, attempting reconnect to Location"
_AWAY = (TimeoutError, httpx.TransportError, InternalServerError, RateLimitError, ConflictError)
_UNKNOWN = (AuthenticationError, PermissionDeniedError)

T = TypeVar("T")


class Away(ValueError):
    """The error if a server gives no answer now, but may give one later."""


class Missing(ValueError):
    """The error if the server does not know the thread or the workflow."""


class Connection:
    """A connection to a server.

    Args:
        url: the server's address.

    Attributes:
        away: whether the server gave no answer when it was asked last.
    """

    def __init__(self, url: str) -> None:
        self.url, self.away = url, False
        self._made: LangGraphClient | None = None
        self._heard = -PATIENCE

    async def check(self) -> None:
        """Check that the server answers, and takes our token.

        Raises:
            Away: the server gives no answer.
            ValueError: it refuses.
        """
        await self.answered(self.client.assistants.search(limit=1))

    @property
    def silent(self) -> bool:
        """Whether the server gave no answer lately, so that asking it again takes seconds."""
        return time.monotonic() - self._heard >= PATIENCE

    @property
    def client(self) -> LangGraphClient:
        """The client of the server's interface, made at its first use."""
        if self._made is None:
            # The library would also send the key of LangSmith, to any address.
            token = next(filter(None, map(os.environ.get, TOKENS)), None)
            warnings.filterwarnings("ignore", _ASKS_AGAIN, UserWarning)
            self._made = get_client(url=self.url, api_key=token)
            clients_here().closing.push_async_callback(self._made.aclose)
        return self._made

    async def patiently(self, step: Callable[[], Awaitable[T]]) -> T:
        """Repeat a step while the server is away, but not if it never answered."""
        while True:
            try:
                return await step()
            except Away:
                if self.silent:
                    raise
                await asyncio.sleep(_PAUSE)

    async def answered(self, asked: Awaitable[T]) -> T:
        """Return what the server answers.

        Raises:
            Away: it gives no answer now.
            Missing: it does not know the thread or the workflow.
            ValueError: it refuses.
        """
        try:
            found = await asked
        except NotFoundError:
            raise Missing(f"{self.url}: the thread or the workflow does not exist") from None
        except (TimeoutError, httpx.HTTPError, LangGraphError) as error:
            reason = " ".join(str(error).split())[:200] or "no answer"
            if isinstance(error, _UNKNOWN):
                reason += f": set {TOKENS[0]} to its token"
            self.away = isinstance(error, _AWAY)
            kind = Away if self.away else ValueError
            raise kind(f"{self.url}: {type(error).__name__}: {reason}") from None
        self._heard, self.away = time.monotonic(), False
        return found
