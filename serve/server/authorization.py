"""The gate: who may knock at which door of the server.

The server asks for a token only at some of its routes; its documentation, metrics, and internal
routes are open to all. The gate stands before every route and goes by what is allowed:

- anybody: the health check
- an operator: the API, the viewer
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
"""What people open in a browser, which asks them for the token itself."""


class Gate:
    """Lets a request pass, or answers 401, 403 or 429.

    Args:
        app: what is behind it.
        at_once: how many requests of one caller may be under way.
    """

    def __init__(self, app: ASGIApp, at_once: int) -> None:
        self._app = app
        self._at_once = at_once
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] != "http" or _from_inside(scope) or _open_to_all(scope):
            await self._app(scope, receive, send)
        else:
            await self._checked(scope, receive, send)

    async def _checked(self, scope: Scope, receive: Receive, send: Send) -> None:
        room = scope["path"].split("/")[1]
        header = _header(scope, b"authorization")
        caller = await asyncio.to_thread(identify, header, basic=room in BROWSERS)
        if caller is None:
            scheme = 'Basic realm="coop"' if room in BROWSERS else "Bearer"
            await answer(send, 401, "Show a valid token", {"www-authenticate": scheme})
        elif not allowed(caller, scope["path"]):
            await answer(send, 403, "This is not open to you")
        elif self._under_way[caller.identity] >= self._at_once:
            await answer(send, 429, "Too many requests of yours are under way: wait for one")
        else:
            self._under_way[caller.identity] += 1
            try:
                await self._app({**scope, "caller": caller}, receive, send)
            finally:
                self._under_way[caller.identity] -= 1


def allowed(caller: Caller, path: str) -> bool:
    """Whether a path is open to somebody who is known."""
    room, *rest = path.split("/")[1:]
    if caller.role == "operator":
        return room in OPERATORS
    if room == "seat" and len(rest) == 2:
        return caller.sits_at(*rest)
    return room == "page"


async def answer(
    send: Send, status: int, detail: str, headers: dict[str, str] | None = None
) -> None:
    """Send a short JSON answer, as the server words its own refusals."""
    fields = {"content-type": "application/json", **(headers or {})}
    coded = [(name.encode(), value.encode()) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": status, "headers": coded})
    await send({"type": "http.response.body", "body": json.dumps({"detail": detail}).encode()})


def _from_inside(scope: Scope) -> bool:
    # The server's own client mounts itself there; no request from outside can set it.
    root: str = scope.get("root_path", "")
    return root == "/noauth" or root.startswith("/noauth/")


def _open_to_all(scope: Scope) -> bool:
    # A browser asks for permission without credentials; the CORS layer behind answers it.
    preflight = (
        scope["method"] == "OPTIONS"
        and _header(scope, b"origin") is not None
        and _header(scope, b"access-control-request-method") is not None
    )
    return preflight or (scope["method"] in ("GET", "HEAD") and scope["path"] in HEALTH)


def _header(scope: Scope, name: bytes) -> str | None:
    found = [value for key, value in scope["headers"] if key.lower() == name]
    return found[0].decode("latin-1") if found else None
