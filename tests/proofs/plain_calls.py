"""A plain LangGraph graph that makes the model calls of a workflow and nothing else."""

import asyncio
import operator
from functools import cache
from typing import Annotated, Any, TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph

LETTER = "You sit at a table with others. " * 60


class Calls(TypedDict, total=False):
    """What is left to ask, and what was said."""

    base_url: str
    waves: list[int]  # calls at once, one wave after the other
    said: Annotated[list[str], operator.add]


@cache
def model(base_url: str) -> ChatOpenAI:
    """One client for all runs."""
    return ChatOpenAI(model="stub", base_url=base_url, timeout=300)


async def ask(calls: Calls) -> dict[str, Any]:
    """One wave."""
    first, *rest = calls["waves"]
    asked = model(calls["base_url"])
    answers = await asyncio.gather(*(asked.ainvoke(LETTER) for _ in range(first)))
    return {"waves": rest, "said": [str(answer.text) for answer in answers]}


page = StateGraph(Calls)
page.add_node("ask", ask)
page.add_edge(START, "ask")
page.add_conditional_edges("ask", lambda calls: "ask" if calls["waves"] else END, ["ask", END])
graph = page.compile()
