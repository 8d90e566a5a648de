"""The agents' tools as LangChain tools; seats call them, and `coop verify` repeats the calls."""

from typing import TYPE_CHECKING, Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import ValidationError

from shapley_coop.invalid import first_error
from shapley_coop.state.run_config import OUTSIDERS
from shapley_coop.state.turn import TurnContext

if TYPE_CHECKING:
    from shapley_coop.state.tools import PublicTool


def tools_for(turn: TurnContext, agent: str) -> tuple[BaseTool, ...]:
    """Return the tools that an agent's model may call; people, programs and outsiders have none."""
    config = turn.evaluated.config
    seat = config.seats.get(agent)
    if not (config.tools and config.tool_calls and seat) or agent in OUTSIDERS:
        return ()
    if seat.human or seat.program:
        return ()
    from shapley_coop.state.tools import tools_of  # few seats call tools

    return tuple(_bind(tool) for tool in tools_of(turn, agent))


def compute_tool(turn: TurnContext, agent: str, tool: str, arguments: dict[str, Any]) -> str:
    """Return the result of an agent's tool, computed again from the table.

    Raises:
        ValueError: the agent has no such tool for this question.
    """
    from shapley_coop.state.tools import tools_of

    for one in tools_of(turn, agent):
        if one.name == tool:
            return str(_bind(one).invoke(arguments))
    raise ValueError(f"{agent} has no tool {tool} at {turn.at}")


def _bind(tool: "PublicTool") -> BaseTool:
    def run(**given: Any) -> str:
        return tool.run(tool.arguments(**given))

    return StructuredTool.from_function(
        run,
        name=tool.name,
        description=tool.description,
        args_schema=tool.arguments,
        infer_schema=False,
        handle_validation_error=_in_words,
    )


def _in_words(error: Any) -> str:
    """Return an error message that names the first wrong argument and says why it is wrong."""
    if isinstance(error, ValidationError):
        first = first_error(error)
        return f"These arguments cannot be used: {first.where or 'they'}: {first.reason}."
    return "These arguments cannot be used."
