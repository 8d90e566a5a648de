"""The route `/mcp`, whose library is imported at the first request: the import takes seconds."""

import asyncio
import logging

from shapley_coop.extras import is_installed, missing_library, require_extra

with require_extra("dev", "the LangGraph server"):
    from starlette.routing import Route
    from starlette.types import ASGIApp, Receive, Scope, Send


def mcp_routes() -> list[Route]:
    """Return the route `/mcp`.

    Raises:
        LibraryMissing: the official SDK is not installed.
    """
    if not is_installed("mcp"):
        raise missing_library("an MCP server", "mcp", "mcp")
    # The SDK logs a line for each request's session manager, which says nothing about a run.
    logging.getLogger("mcp.server").setLevel(logging.WARNING)
    return [Route("/mcp", _Late(), methods=["GET", "POST", "DELETE"])]


class _Late:
    """The ASGI app of `/mcp`, made at the first request."""

    def __init__(self) -> None:
        self._endpoint: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._endpoint is None:
            self._endpoint = await asyncio.to_thread(_made)
        await self._endpoint(scope, receive, send)


def _made() -> ASGIApp:
    from shapley_coop.extensions.mcp.on_server import endpoint

    return endpoint()
