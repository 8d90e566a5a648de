"""A client of the Model Context Protocol, by the letter of the protocol, without a library."""

from itertools import count
from typing import Any

import httpx
from jsonschema import Draft202012Validator


class McpError(Exception):
    """The server's error, as JSON-RPC has it."""


class McpSession:
    """A session over streamable HTTP.

    Args:
        url: of the server.
        version: of the protocol that is asked for.
        headers: sent with every message.
    """

    def __init__(self, url: str, version: str = "2025-11-25", **headers: str) -> None:
        accept = {"accept": "application/json, text/event-stream", **headers}
        self._http = httpx.Client(base_url=url, headers=accept, timeout=300)
        self._ids = count(1)
        client = {"name": "tests", "version": "1"}
        self.told = self("initialize", protocolVersion=version, capabilities={}, clientInfo=client)
        self._http.headers["mcp-protocol-version"] = self.told["protocolVersion"]
        assert self.send({"method": "notifications/initialized"}).status_code == 202
        self.tools = {tool["name"]: tool for tool in self("tools/list")["tools"]}

    def __call__(self, method: str, **params: Any) -> Any:
        number = next(self._ids)
        answered = self.send({"id": number, "method": method, "params": params})
        assert answered.headers["content-type"] == "application/json"
        message = answered.raise_for_status().json()
        assert (message["jsonrpc"], message["id"]) == ("2.0", number)
        if "error" in message:
            raise McpError(message["error"]["message"])
        return message["result"]

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result as an object, in the shape that the tool promised."""
        result = self("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result["content"][0]["text"]
        found: dict[str, Any] = result["structuredContent"]
        Draft202012Validator(self.tools[tool]["outputSchema"]).validate(found)
        return found

    def refused(self, tool: str, **arguments: Any) -> str:
        """Why a call of a tool was refused."""
        result = self("tools/call", name=tool, arguments=arguments)
        assert result["isError"], result
        return str(result["content"][0]["text"])

    def send(self, message: dict[str, Any]) -> httpx.Response:
        return self._http.post("/mcp", json={"jsonrpc": "2.0", **message})
