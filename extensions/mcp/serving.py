"""The tools as a server of the Model Context Protocol (MCP), by the protocol's official SDK.

The SDK serves both eras of the protocol: sessions that begin with `initialize` (2024-11-05 to
2025-11-25), and requests that each state their version (2026-07-28).
"""

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from shapley_coop.extensions.mcp.place import Place
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


class _Untitled(GenerateJsonSchema):
    """JSON schemas without the titles that repeat their keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def model_schema(self, schema: Any) -> dict[str, Any]:
        made = super().model_schema(schema)
        return {key: value for key, value in made.items() if key != "title"}


@dataclass(frozen=True)
class Tool:
    """One MCP tool, and the function that does its work.

    Attributes:
        name: the tool's name.
        about: a description in one or two sentences.
        takes: the model of its arguments.
        gives: the model of its result.
        work: the function from a place and arguments to a result; callers get its ValueErrors.
        reads: whether the tool changes nothing.
    """

    name: str
    about: str
    takes: type[BaseModel]
    gives: type[BaseModel]
    work: Callable[[Place, Any], Awaitable[BaseModel]]
    reads: bool = True

    def described(self) -> types.Tool:
        """Return the tool's entry in the list of tools."""
        return types.Tool(
            name=self.name,
            description=self.about,
            input_schema=self.takes.model_json_schema(schema_generator=_Untitled),
            output_schema=self.gives.model_json_schema(
                mode="serialization", schema_generator=_Untitled
            ),
            annotations=types.ToolAnnotations(
                read_only_hint=self.reads, open_world_hint=not self.reads
            ),
        )

    async def call(self, place: Place, arguments: dict[str, Any]) -> types.CallToolResult:
        """Return a call's result as an object, and as text for clients that read no objects."""
        try:
            given = self.takes.model_validate(arguments)
            found = (await self.work(place, given)).model_dump(mode="json", exclude_none=True)
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


def server(
    tools: Sequence[Tool], place: Callable[[Any], AbstractAsyncContextManager[Place]]
) -> Server[Any]:
    """Return an MCP server that offers the tools.

    Args:
        tools: the tools on offer.
        place: a function from a call's HTTP request (None without HTTP) to the call's `Place`.
    """
    named = {tool.name: tool for tool in tools}
    listing = types.ListToolsResult(tools=[tool.described() for tool in tools])

    async def listed(*_: object) -> types.ListToolsResult:
        return listing

    async def called(
        context: ServerRequestContext[Any], asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if asked.name not in named:
            known = ", ".join(named)
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: the tools are {known}")
        async with place(context.request) as here:
            return await named[asked.name].call(here, asked.arguments or {})

    return Server(
        "shapley-coop",
        version=version("shapley-coop"),
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )


def _refused(why: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=why)], is_error=True)
