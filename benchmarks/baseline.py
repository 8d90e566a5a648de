"""The peer in this process: LangGraph as it is usually written.

Usual LangGraph code has a `Send` per agent and turn, a LangChain model that gets all messages so
far, a list with an adding reducer, and any saver. The peer sends the same number of messages in
the same waves. It writes no letters, reads no offers, keeps no journal and settles nothing.
"""

import operator
from collections.abc import Sequence
from typing import Annotated, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict


class Talk(TypedDict):
    """The state of the baseline graph."""

    messages: Annotated[list[AnyMessage], operator.add]
    wave: int


def baseline_graph(
    waves: Sequence[int], model: BaseChatModel
) -> StateGraph[Talk, None, Talk, Talk]:
    """Return an uncompiled graph of usual LangGraph code; each wave is its number of agents."""
    rules = SystemMessage("You sit at a table with other agents. " * 20)

    async def agent(state: Talk) -> dict[str, Any]:
        return {"messages": [await model.ainvoke([rules, *state["messages"]])]}

    def count(state: Talk) -> dict[str, Any]:
        return {"wave": state["wave"] + 1}

    def fan_out(talk: Talk) -> list[Send] | str:
        if talk["wave"] == len(waves):
            return END
        return [Send("agent", talk) for _ in range(waves[talk["wave"]])]

    page = StateGraph(Talk)
    page.add_node("agent", agent)
    page.add_node("count", count)
    page.add_conditional_edges(START, fan_out, ["agent", END])
    page.add_edge("agent", "count")
    page.add_conditional_edges("count", fan_out, ["agent", END])
    return page
