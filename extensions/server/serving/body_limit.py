"""The middleware that limits the size of requests."""

import os

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shapley_coop.extensions.server.serving.answering import refusal


def whole(variable: str, default: int) -> int:
    """Return the limit that an environment variable sets, or the default.

    Raises:
        ValueError: the value is not a whole number, is negative, or is 0 where the default is not
            0.
    """
    text = os.environ.get(variable)
    if text is None:
        return default
    if not text.isdecimal() or (default and not int(text)):
        raise ValueError(f"{variable}={text}: give a {'positive ' if default else ''}whole number")
    return int(text)


def most_bytes() -> int:
    """Return the size limit of a request body in bytes: `COOP_MAX_BODY`, by default 2 MiB."""
    return whole("COOP_MAX_BODY", 2 * 1024 * 1024)


class BodyLimit:
    """Middleware that reads the body into the scope, or answers 413 if the body is too large.

    Args:
        app: the next application.
        most: the limit in bytes.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection; refuse a body that is too large."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = b""
        try:
            async for chunk in Request(scope, receive).stream():
                body += chunk
                if len(body) > self._most:
                    detail = f"A request may have at most {self._most} bytes"
                    await refusal(413, detail)(scope, receive, send)
                    return
        except ClientDisconnect:
            return
        await self._app({**scope, "body": body}, replay(body, receive), send)


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first returns the body already read, then calls `receive`."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again
