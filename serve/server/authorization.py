"""Authorization: which caller may use which route.

LangGraph's server checks a token on some routes only; its documentation, metrics and internal
routes are open. This middleware runs before every route and denies what is not listed:

- without a token: the health check
- an operator: the API and the viewer
- a party: its own seat
"""

import asyncio
import json
from collections import Counter

from starlette.types import ASGIApp, Receive, Scope, Send

from shapley_coop.serve.server.callers import Caller, identify

HEALTH = {"/", "/ok"}
OPERATORS = {
    *("assistants", "threads", "runs", "store", "mcp", "a2a", ".well-known"),
    *("info", "docs", "openapi.json", "metrics", "view", "page"),
}
BROWSERS = {"view", "page", "seat"}
"""Routes for people: their browser asks for the token as a password."""


class Authorization:
    """Passes a request on, or answers 401, 403 or 429.

    Args:
        app: the next application.
        at_once: the limit of a caller's concurrent requests.
    """

    def __init__(self, app: ASGIApp, at_once: int) -> None:
        self._app = app
        self._at_once = at_once
        self._running: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] != "http" or _from_inside(scope) or _needs_no_token(scope):
            await self._app(scope, receive, send)
        else:
            await self._checked(scope, receive, send)

    async def _checked(self, scope: Scope, receive: Receive, send: Send) -> None:
        segment = scope["path"].split("/")[1]
        header = _header(scope, b"authorization")
        caller = await asyncio.to_thread(identify, header, basic=segment in BROWSERS)
        if caller is None:
            scheme = 'Basic realm="coop"' if segment in BROWSERS else "Bearer"
            await answer(send, 401, "Show a valid token", {"www-authenticate": scheme})
        elif not allowed(caller, scope["path"]):
            await answer(send, 403, "You may not use this route")
        elif self._running[caller.identity] >= self._at_once:
            await answer(send, 429, "Too many of your requests are running: wait for one to end")
        else:
            self._running[caller.identity] += 1
            try:
                await self._app({**scope, "caller": caller}, receive, send)
            finally:
                self._running[caller.identity] -= 1


def allowed(caller: Caller, path: str) -> bool:
    """Whether an identified caller may use a path."""
    segment, *rest = path.split("/")[1:]
    if caller.role == "operator":
        return segment in OPERATORS
    if segment == "seat" and len(rest) == 2:
        return caller.sits_at(*rest)
    return segment == "page"


async def answer(
    send: Send, status: int, detail: str, headers: dict[str, str] | None = None
) -> None:
    """Send a short JSON answer, in the form of the server's own errors."""
    fields = {"content-type": "application/json", **(headers or {})}
    coded = [(name.encode(), value.encode()) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": status, "headers": coded})
    await send({"type": "http.response.body", "body": json.dumps({"detail": detail}).encode()})


def _from_inside(scope: Scope) -> bool:
    # Only the server's own client has this root path; no outside request can set it.
    root: str = scope.get("root_path", "")
    return root == "/noauth" or root.startswith("/noauth/")


def _needs_no_token(scope: Scope) -> bool:
    # A CORS preflight carries no credentials; the CORS layer behind this one answers it.
    preflight = (
        scope["method"] == "OPTIONS"
        and _header(scope, b"origin") is not None
        and _header(scope, b"access-control-request-method") is not None
    )
    return preflight or (scope["method"] in ("GET", "HEAD") and scope["path"] in HEALTH)


def _header(scope: Scope, name: bytes) -> str | None:
    found = [value for key, value in scope["headers"] if key.lower() == name]
    return found[0].decode("latin-1") if found else None
