"""The authorization of routes: middleware that limits each caller to the routes listed here.

LangGraph's server checks a token on some routes only; its documentation, metrics and internal
routes are not checked. This middleware runs before every route. It admits

- everybody to the health check and to the routes that need no token (`needs_no_token`)
- an operator to the API and the viewer
- a party to its own seat
- the callers that an extension lists to the extension's routes
"""

import asyncio
from collections import Counter

from shapley_coop import extension
from shapley_coop.extensions.server.serving.answering import (
    from_inside,
    needs_no_token,
    refusal,
    unknown_caller,
)
from shapley_coop.extensions.tenants.callers import Caller, identify
from shapley_coop.extras import require_extra

with require_extra("dev", "tenants on a server"):
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

OPERATORS = {
    *("assistants", "threads", "runs", "store", "a2a", ".well-known"),
    *("info", "docs", "openapi.json", "metrics", "view", "page"),
}
BROWSERS = {"view", "page", "seat"}
"""The routes for people; a browser asks them for the token as a password."""


class Authorization:
    """Middleware that admits a request, or answers 400, 401, 403 or 429.

    Args:
        app: the next application.
        at_once: the most concurrent requests of one caller.
    """

    def __init__(self, app: ASGIApp, at_once: int) -> None:
        self._app = app
        self._at_once = at_once
        self._running: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] != "http" or from_inside(scope) or needs_no_token(scope):
            await self._app(scope, receive, send)
        else:
            await self._checked(scope, receive, send)

    async def _checked(self, scope: Scope, receive: Receive, send: Send) -> None:
        segment = scope["path"].split("/")[1]
        header = Headers(scope=scope).get("authorization")
        if len(Headers(scope=scope).getlist("authorization")) > 1:
            # Of two headers, this middleware and LangGraph's server might read different ones.
            await refusal(400, "Send one Authorization header")(scope, receive, send)
            return
        caller = await asyncio.to_thread(identify, header, basic=segment in BROWSERS)
        if caller is None:
            scheme = 'Basic realm="coop"' if segment in BROWSERS else "Bearer"
            head = {"www-authenticate": scheme}
            await unknown_caller(scope, "Show a valid token", head)(scope, receive, send)
        elif not allowed(caller, scope["path"]):
            await refusal(403, "You may not use this route")(scope, receive, send)
        elif self._running[caller.identity] >= self._at_once:
            detail = "Too many of your requests are running: wait for one to end"
            await refusal(429, detail)(scope, receive, send)
        else:
            self._running[caller.identity] += 1
            watched = _WhileValid(send, caller, header, scope["path"])
            try:
                await self._app({**scope, "caller": caller}, receive, watched)
            except Exception:
                if not watched.ended:
                    raise
            finally:
                self._running[caller.identity] -= 1


class _WhileValid:
    """The replacement of a connection's `send`; it ends a streamed response if the token expires.

    Args:
        send: the connection's `send`.
        caller: the admitted caller.
        header: the caller's `Authorization` header.
        path: the path requested.
    """

    def __init__(self, send: Send, caller: Caller, header: str | None, path: str) -> None:
        self._send, self._caller, self._header, self._path = send, caller, header, path
        self.ended = False

    async def __call__(self, message: Message) -> None:
        """Send one message of the response, if the token is still valid.

        Raises:
            OSError: the token is no longer valid; the app acts as if the client had left.
        """
        part = message["type"] == "http.response.body" and message.get("more_body")
        if part and not self.ended and not await self._valid():
            self.ended = True
            await self._send({"type": "http.response.body", "body": b""})
        if self.ended:
            raise OSError("the token of this request is no longer valid")
        await self._send(message)

    async def _valid(self) -> bool:
        basic = self._path.split("/")[1] in BROWSERS
        now = await asyncio.to_thread(identify, self._header, basic=basic)
        same = now is not None and now.identity == self._caller.identity
        return same and now is not None and allowed(now, self._path)


def allowed(caller: Caller, path: str) -> bool:
    """Return whether a caller whose token was valid may use a path."""
    segment, *rest = path.split("/")[1:]
    if caller.role == "operator":
        return segment in OPERATORS or extension.open_to(path) == "operators"
    if segment == "seat" and len(rest) == 2:
        return caller.sits_at(*rest)
    return segment == "page" or extension.open_to(path) == "parties"
