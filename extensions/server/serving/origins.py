"""The websites that the server's CORS rules admit, and middleware that lets them read refusals."""

import json
import os
import re
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

RULES = "CORS_CONFIG"
"""The variable with LangGraph's CORS rules, which win over `http.cors` in `langgraph.json`."""


def is_admitted(origin: str) -> bool:
    """Return whether the CORS rules name an origin; "*" does not count: it would admit any page."""
    rules = _rules()
    pattern = rules.get("allow_origin_regex")
    return origin in (rules.get("allow_origins") or ()) or bool(
        pattern and re.fullmatch(pattern, origin)
    )


def _rules() -> dict[str, Any]:
    given = json.loads(os.environ.get(RULES) or "null")
    return given or json.loads(os.environ.get("LANGGRAPH_HTTP") or "{}").get("cors") or {}


class ReadableRefusals:
    """Middleware, before all other, by which pages of admitted websites can read every refusal.

    LangGraph's own CORS middleware comes later, and sees no request that is refused before it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        origin = Headers(scope=scope).get("origin", "") if scope["type"] == "http" else ""

        async def readable(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if "access-control-allow-origin" not in headers:
                    headers["access-control-allow-origin"] = origin
                    headers.add_vary_header("Origin")
            await send(message)

        admitted = bool(origin) and is_admitted(origin)
        await self._app(scope, receive, readable if admitted else send)
