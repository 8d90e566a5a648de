"""The Model Context Protocol's official client, pinned to a version of either era."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client, types
from mcp.client.streamable_http import streamable_http_client
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

STANDALONE = "2026-07-28"
VERSIONS = ["2025-06-18", "2025-11-25", STANDALONE]
"""Two that begin with a handshake, and the one whose requests stand alone."""


class McpSession(ClientSession):
    """A session, which holds each result against the shape that its tool has promised."""

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result as an object."""
        result = await self.call_tool(tool, arguments)
        assert not result.is_error, text(result)
        found: dict[str, Any] = result.structured_content
        return found

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Why a call of a tool was refused."""
        result = await self.call_tool(tool, arguments)
        assert result.is_error, result
        return text(result)


def text(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


@asynccontextmanager
async def connected(place: str | Path, version: str = STANDALONE) -> AsyncIterator[McpSession]:
    """A session with the server at an address, or with a `coop mcp` over a home."""
    transport = streamable_http_client(f"{place}/mcp") if isinstance(place, str) else _stdio(place)
    async with transport as (read, write), McpSession(read, write) as session:
        if version == STANDALONE:
            await session.discover()
        else:
            await _shake_hands(session, version)
        yield session


def _stdio(home: Path) -> Any:
    environment = {**os.environ, "COOP_HOME": str(home)}
    command = ["-m", "shapley_coop", "mcp"]
    return stdio_client(
        StdioServerParameters(command=sys.executable, args=command, env=environment)
    )


async def _shake_hands(session: ClientSession, version: str) -> None:
    """Begin as a client does that asks for this version, which need not be the latest."""
    asked = types.InitializeRequestParams(
        protocol_version=version,
        capabilities=types.ClientCapabilities(),
        client_info=types.Implementation(name="tests", version="1"),
    )
    told = await session.send_request(types.InitializeRequest(params=asked), types.InitializeResult)
    assert told.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
    session.adopt(told)
    await session.send_notification(types.InitializedNotification())
