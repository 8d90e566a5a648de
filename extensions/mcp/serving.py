"""The tools as a server of the Model Context Protocol (MCP), by the protocol's official SDK.

The SDK serves both eras of the protocol: sessions that begin with `initialize` (2024-11-05 to
2025-11-25), and requests that each state their version (2026-07-28).
"""

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel, ValidationError

from shapley_coop.extras import require_extra
from shapley_coop.invalid import first_error

with require_extra("mcp", "an MCP server"):
    from mcp import MCPError, types
    from mcp.server import Server, ServerRequestContext

logger = logging.getLogger(__name__)

INSTRUCTIONS = (
    "Negotiate between self-interested agents: `check_contract` before a deal is signed, "
    "`negotiate` to play it, `runs` to find runs, `credit` for who earned what, `verify` to "
    "recompute all that a run states."
)


@dataclass(frozen=True)
class Tool:
    """One tool.

    Attributes:
        name: the tool's name.
        about: a description in one or two sentences.
        takes: the model of its arguments.
        gives: the model of its result.
        work: the function from arguments to result; a `ValueError` is for the caller to read.
        reads: whether the tool only reads.
    """

    name: str
    about: str
    takes: type[BaseModel]
    gives: type[BaseModel]
    work: Callable[[Any], Awaitable[BaseModel]]
    reads: bool = True

    def described(self) -> types.Tool:
        """Return the tool's entry in the list of tools."""
        return types.Tool(
            name=self.name,
            description=self.about,
            input_schema=lean(self.takes.model_json_schema()),
            output_schema=lean(self.gives.model_json_schema(mode="serialization")),
            annotations=types.ToolAnnotations(
                read_only_hint=self.reads, open_world_hint=not self.reads
            ),
        )

    async def call(self, arguments: dict[str, Any]) -> types.CallToolResult:
        """Return a call's result as an object, and as text for clients that read no objects."""
        try:
            given = self.takes.model_validate(arguments)
            found = (await self.work(given)).model_dump(mode="json", exclude_none=True)
        except ValidationError as error:
            return _refused(str(first_error(error)))
        except ValueError as error:
            return _refused(str(error))
        except Exception as error:
            # The error's text may contain data that the caller must not see.
            logger.exception("The tool %s failed", self.name)
            return _refused(f"{self.name} failed: {type(error).__name__}")
        text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
        return types.CallToolResult(
            content=[types.TextContent(text=text)], structured_content=found
        )


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


def server(tools: Sequence[Tool]) -> Server[Any]:
    """Return an MCP server that offers the tools."""
    named = {tool.name: tool for tool in tools}

    async def listed(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool.described() for tool in tools])

    async def called(
        _: ServerRequestContext[Any], asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if asked.name not in named:
            known = ", ".join(named)
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: the tools are {known}")
        return await named[asked.name].call(asked.arguments or {})

    return Server(
        "shapley-coop",
        version=version("shapley-coop"),
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )


def _refused(why: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=why)], is_error=True)
