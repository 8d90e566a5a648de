"""The agents' tools as LangChain tools; seats call them, and `coop verify` repeats the calls."""

from typing import Any

from langchain_core.tools import BaseTool

from shapley_coop.state.run_config import OUTSIDERS
from shapley_coop.state.turn import TurnContext


def tools_for(turn: TurnContext, agent: str) -> tuple[BaseTool, ...]:
    """Return the tools that an agent's model may call; people, programs and outsiders have none."""
    config = turn.evaluated.config
    seat = config.seats.get(agent)
    if not (config.tools and seat) or agent in OUTSIDERS:
        return ()
    if seat.human or seat.program:
        return ()
    from shapley_coop.state.tools import tools_of  # imported late: few seats call tools

    return tools_of(turn, agent)


def compute_tool(turn: TurnContext, agent: str, tool: str, arguments: dict[str, Any]) -> str:
    """Return the result of an agent's tool, computed again from the table.

    Raises:
        ValueError: the agent has no such tool for this question.
    """
    from shapley_coop.state.tools import tools_of

    for one in tools_of(turn, agent):
        if one.name == tool:
            return str(one.invoke(arguments))
    raise ValueError(f"{agent} has no tool {tool} at {turn.at}")
