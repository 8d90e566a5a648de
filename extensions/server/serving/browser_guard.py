"""Middleware that protects a server on a developer's machine from foreign web pages.

A page of any website can make a browser send requests to this machine: plain forms without a CORS
preflight and, after DNS rebinding, any request. So there are three rules:

- A body must have the content type of JSON, which a page cannot send without a preflight.
- Without tenants, `Host` must be this machine or a listed host. A request that changes state
  may not come from a foreign `Origin`.
- `coop dev` makes a token and prints addresses that contain the token, as Jupyter does.
"""

import hmac
import os
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shapley_coop.extensions.server.serving.answering import (
    from_inside,
    needs_no_token,
    refusal,
    unknown_caller,
    unknown_host,
)
from shapley_coop.extensions.server.serving.origins import is_admitted

DEV_TOKEN = "COOP_DEV_TOKEN"  # noqa: S105 - the variable's name
"""The environment variable with `coop dev`'s token; if unset, requests need no token."""

HOSTS = "COOP_ALLOWED_HOSTS"
"""The variable with a comma-separated list of host names. A server without tenants accepts these
hosts, and every server shows its A2A agent card under these hosts."""

COOKIE = "coop_token"
READING = {"GET", "HEAD", "OPTIONS"}


class JsonOnly:
    """Middleware, after `BodyLimit`, that answers 415 to a body not declared as JSON."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        given = Headers(scope=scope).get("content-type", "") if scope.get("body") else "json"
        if given.partition(";")[0].strip().lower() in ("json", "application/json"):
            await self._app(scope, receive, send)
        else:
            detail = "Send the body as application/json"
            await refusal(415, detail)(scope, receive, send)


class BrowserGuard:
    """Middleware that answers 403 to foreign hosts and origins, 401 to a wrong dev token."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] not in ("http", "websocket") or from_inside(scope):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not is_here(headers.get("host", "")):
            why = f"Unknown host: {HOSTS} lists others"
            await _refuse(scope, receive, send, unknown_host(scope, why))
        elif _changes(scope) and not _may_send(headers):
            refused = refusal(403, "Requests of this website are refused")
            await _refuse(scope, receive, send, refused)
        elif not _shows_token(scope, headers):
            why = "Show the token that coop dev printed: Authorization: Bearer TOKEN, or ?token="
            await _refuse(scope, receive, send, unknown_caller(scope, why))
        else:
            await self._app(scope, receive, _remember_token(scope, send))


async def _refuse(scope: Scope, receive: Receive, send: Send, refused: Response) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await refused(scope, receive, send)


def _changes(scope: Scope) -> bool:
    return scope["type"] == "websocket" or scope["method"] not in READING


def is_here(host: str) -> bool:
    """Return whether a `Host` header names this machine's loopback address or a listed host."""
    name = urlsplit(f"//{host}").hostname or ""
    return is_loopback(name) or name in _parse_list(os.environ.get(HOSTS, ""))


def is_loopback(name: str) -> bool:
    """Return whether a host name or IP address is a loopback address."""
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def _parse_list(text: str) -> set[str]:
    return {one.strip().lower() for one in text.split(",") if one.strip()}


def _may_send(headers: Headers) -> bool:
    """Return whether a request's origin may change state: a local or CORS-listed origin."""
    origin = headers.get("origin")
    if origin is None:  # a program sent the request, or a person typed its address into a browser
        return headers.get("sec-fetch-site", "none") in ("none", "same-origin")
    url = urlsplit(origin)
    if is_loopback(url.hostname or "") or url.netloc == headers.get("host"):
        return True
    return is_admitted(origin)


def _shows_token(scope: Scope, headers: Headers) -> bool:
    wanted = os.environ.get(DEV_TOKEN, "")
    if not wanted or (scope["type"] == "http" and needs_no_token(scope)):
        return True
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    shown = [headers.get("x-api-key", ""), _in_query(scope), _in_cookie(headers)]
    if scheme.lower() == "bearer":
        shown.append(bearer.strip())
    return any(hmac.compare_digest(one.encode(), wanted.encode()) for one in shown)


def _in_query(scope: Scope) -> str:
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    return str(query.get("token", [""])[0])


def _in_cookie(headers: Headers) -> str:
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return str(cookie.value) if cookie else ""


def _remember_token(scope: Scope, send: Send) -> Send:
    """Return a `send` that sets the URL's token as a cookie, for the page's later requests."""
    token = _in_query(scope) if scope["type"] == "http" else ""
    if not token or not hmac.compare_digest(token.encode(), os.environ.get(DEV_TOKEN, "").encode()):
        return send

    async def with_cookie(message: Message) -> None:
        if message["type"] == "http.response.start":
            # Lax: a link from Studio or a chat under another host name has to open a page. Requests
            # that change something are guarded by their `Origin` and by the type of their body.
            kept = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Lax"
            MutableHeaders(scope=message).append("set-cookie", kept)
        await send(message)

    return with_cookie
