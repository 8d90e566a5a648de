"""The Model Context Protocol's official client, pinned to a version of either era."""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, ClientSession, StdioServerParameters, stdio_client, types
from mcp.client.streamable_http import streamable_http_client

STANDALONE = "2026-07-28"
VERSIONS = ["2025-06-18", "2025-11-25", STANDALONE]
"""Two that begin with a handshake, and the one whose requests stand alone."""


@asynccontextmanager
async def connected(place: str | Path, version: str = STANDALONE) -> AsyncIterator[ClientSession]:
    """A session with the server at an address, or with a `coop mcp` over a home."""
    transport = streamable_http_client(f"{place}/mcp") if isinstance(place, str) else _stdio(place)
    if version == STANDALONE:
        async with Client(transport, mode=version) as client:
            yield client.session
        return
    async with transport as (read, write), ClientSession(read, write) as session:
        await _shake_hands(session, version)
        yield session


def _stdio(home: Path) -> Any:
    environment = {**os.environ, "COOP_HOME": str(home)}
    coop = ["-m", "shapley_coop", "mcp"]
    return stdio_client(StdioServerParameters(command=sys.executable, args=coop, env=environment))


async def _shake_hands(session: ClientSession, version: str) -> None:
    """Begin as a client does that asks for this version, which need not be the latest."""
    asked = types.InitializeRequestParams(
        protocol_version=version,
        capabilities=types.ClientCapabilities(),
        client_info=types.Implementation(name="tests", version="1"),
    )
    told = await session.send_request(types.InitializeRequest(params=asked), types.InitializeResult)
    session.adopt(told)
    await session.send_notification(types.InitializedNotification())


async def call(mcp: Client | ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    """A tool's result; the client has held it against the shape that the tool promised."""
    result = await mcp.call_tool(tool, arguments)
    assert not result.is_error, text(result)
    assert json.loads(text(result)) == result.structured_content
    return dict(result.structured_content)


async def refused(mcp: Client | ClientSession, tool: str, **arguments: Any) -> str:
    """Why a call of a tool was refused."""
    result = await mcp.call_tool(tool, arguments)
    assert result.is_error, result
    return text(result)


def text(result: types.CallToolResult) -> str:
    (content,) = result.content
    return str(content.text)
