"""Shapes that public apps have: tools made as a node runs, plans that are lists, answers to calls."""

from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph

from extensions.attribute.tests.stub_chat import StubChat
from shapley_coop.extensions.attribute import attribute

ASKED = {"messages": ["hello"]}


def said(state: Any) -> float:
    return float(str(state["messages"][-1].content) == "one two")


def test_a_tool_that_is_made_as_a_node_runs_is_a_part_of_that_node() -> None:
    """As open_deep_research makes its search, which asks a model for a summary."""

    async def work(state: MessagesState) -> dict[str, Any]:
        model = StubChat(rule=lambda messages: AIMessage("one two"))

        @tool
        async def search(q: str) -> str:
            """Search, and sum up what was found."""
            return str((await model.ainvoke(q)).content)

        return {"messages": [AIMessage(await search.ainvoke({"q": "?"}))]}

    page = StateGraph(MessagesState)
    page.add_node("work", work)
    page.add_edge(START, "work")
    found = attribute(page.compile(), score=said, inputs=ASKED)
    assert found.found == {"work": "a node that asks a model"}
    assert found.values == {"work": 1.0}
