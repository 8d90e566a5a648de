"""The part of the Model Context Protocol that serves tools: JSON-RPC without sessions.

https://modelcontextprotocol.io/specification/2025-11-25
"""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel, ValidationError

from shapley_coop.invalid import first_error

logger = logging.getLogger(__name__)

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The versions of the protocol, the newest first."""

PARSE, REQUEST, METHOD, PARAMS = -32700, -32600, -32601, -32602
"""The error codes of JSON-RPC."""

INSTRUCTIONS = (
    "Negotiate between self-interested agents: `check_contract` before a deal is signed, "
    "`negotiate` to play it, `runs` to find runs, `credit` for who earned what, `verify` to "
    "recompute all that a run states."
)


class ToolFault(Exception):
    """The error of a tool that cannot do its work; the text is one line for the caller."""


@dataclass(frozen=True)
class Tool:
    """One tool.

    Attributes:
        name: the tool's name.
        about: a description in one or two sentences.
        takes: the model of its arguments.
        gives: the model of its result.
        work: the function from arguments to result.
        reads: whether the tool only reads.
    """

    name: str
    about: str
    takes: type[BaseModel]
    gives: type[BaseModel]
    work: Callable[[Any], Awaitable[BaseModel]]
    reads: bool = True

    def described(self) -> dict[str, Any]:
        """Return the tool's entry in the answer to `tools/list`."""
        return {
            "name": self.name,
            "description": self.about,
            "inputSchema": lean(self.takes.model_json_schema()),
            "outputSchema": lean(self.gives.model_json_schema(mode="serialization")),
            "annotations": {"readOnlyHint": self.reads, "openWorldHint": not self.reads},
        }


def lean(schema: Any) -> Any:
    """Return a JSON schema without the titles that repeat its keys.

    >>> lean({"title": "Seed", "type": "integer", "properties": {"title": {"title": "Title"}}})
    {'type': 'integer', 'properties': {'title': {}}}
    """
    if isinstance(schema, list):
        return [lean(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: lean(one) for name, one in value.items()}
        if key in ("properties", "$defs")
        else lean(value)
        for key, value in schema.items()
        if key != "title"
    }


async def answered(message: Any, tools: Sequence[Tool]) -> dict[str, Any] | None:
    """Return the answer to one message of a client, or None if the message expects no answer.

    Args:
        message: the parsed JSON.
        tools: the tools on offer.
    """
    if not isinstance(message, Mapping) or message.get("jsonrpc") != "2.0":
        return failed(None, REQUEST, "Send one JSON-RPC 2.0 message")
    number, method = message.get("id"), message.get("method")
    if number is None or method is None:
        return None  # a notification, or a response although this server sends no requests
    params = message.get("params") or {}
    if not isinstance(params, Mapping):
        return failed(number, PARAMS, "params: give one object")
    match method:
        case "initialize":
            result: dict[str, Any] = _greeting(str(params.get("protocolVersion")))
        case "ping":
            result = {}
        case "tools/list":
            result = {"tools": [tool.described() for tool in tools]}
        case "tools/call":
            called = {tool.name: tool for tool in tools}.get(str(params.get("name")))
            if called is None:
                known = ", ".join(tool.name for tool in tools)
                return failed(number, PARAMS, f"Unknown tool: the tools are {known}")
            result = await _called(called, params.get("arguments") or {})
        case _:
            return failed(number, METHOD, "Method not found")
    return {"jsonrpc": "2.0", "id": number, "result": result}


def failed(number: Any, code: int, why: str) -> dict[str, Any]:
    """Return a JSON-RPC error response to a message."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": why}}


def _greeting(asked: str) -> dict[str, Any]:
    return {
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "shapley-coop", "version": version("shapley-coop")},
        "instructions": INSTRUCTIONS,
    }


async def _called(tool: Tool, arguments: Any) -> dict[str, Any]:
    """Return a call's result as an object, and as text for clients that read no objects."""
    try:
        given = tool.takes.model_validate(arguments)
        found = (await tool.work(given)).model_dump(mode="json", exclude_none=True)
    except ValidationError as error:
        return _refused(str(first_error(error)))
    except (ValueError, ToolFault) as error:
        return _refused(str(error))
    except Exception as error:
        # The error's text may contain data that the caller must not see.
        logger.exception("The tool %s failed", tool.name)
        return _refused(f"{tool.name} failed: {type(error).__name__}")
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return {"content": [{"type": "text", "text": text}], "structuredContent": found}


def _refused(why: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": why}], "isError": True}
