"""The peers in this process: a bare gather, and LangGraph as it is usually written.

Usually: a `Send` per agent and turn, a LangChain model that is shown all messages so far, a list
with an adding reducer, and whatever saver there is. Neither writes letters, reads offers, keeps a
journal or settles; they say the same number of messages in the same waves, and no more.
"""

import asyncio
import operator
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

Runner = Callable[[], Any]


class Talk(TypedDict):
    """The state."""

    messages: Annotated[list[AnyMessage], operator.add]
    wave: int


class Call(TypedDict):
    """The payload of a `Send`."""

    messages: list[AnyMessage]


async def gathered(waves: Sequence[int], latency: float) -> None:
    """A bare gather: the lower bound."""
    for width in waves:
        await asyncio.gather(*(asyncio.sleep(latency) for _ in range(width)))


def baseline_graph(
    waves: Sequence[int], model: BaseChatModel
) -> StateGraph[Talk, None, Talk, Talk]:
    """LangGraph as usual for so many agents, wave by wave; compile it with a saver or without."""
    rules = SystemMessage("You sit at a table with other agents. " * 20)

    async def agent(state: Call) -> dict[str, Any]:
        return {"messages": [await model.ainvoke([rules, *state["messages"]])]}

    def count(state: Talk) -> dict[str, Any]:
        return {"wave": state["wave"] + 1}

    def fan_out(talk: Talk) -> list[Send] | str:
        if talk["wave"] == len(waves):
            return END
        call = {"messages": talk["messages"]}
        return [Send("agent", call) for _ in range(waves[talk["wave"]])]

    page = StateGraph(Talk)
    page.add_node("agent", agent)
    page.add_node("count", count)
    page.add_conditional_edges(START, fan_out, ["agent", END])
    page.add_edge("agent", "count")
    page.add_conditional_edges("count", fan_out, ["agent", END])
    return page
