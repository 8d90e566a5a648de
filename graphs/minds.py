"""How a mind is put together, and how it is seated at the table.

A mind is a small private graph: `ask` the seat, `validate` what it drafted, again until it is
sound or the tries are used up. Every agent whose turn it is thinks in the same run, side by side;
nothing of one reaches another. What it is shown arrives as its context (a `TurnContext`), so that
its own checkpoints hold private drafts alone, and the table hears only what `say` carries out.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Durability

from shapley_coop.nodes.agent.ask import Writer, ask
from shapley_coop.nodes.agent.say import Say
from shapley_coop.nodes.agent.validate import Check, validate
from shapley_coop.state import (
    Opening,
    RunConfig,
    Table,
    Topic,
    TurnContext,
    TurnState,
    config_of,
    pending,
)
from shapley_coop.state.asking import seat_of
from shapley_coop.state.events import answered, asking
from shapley_coop.state.table import Spent

WorkflowBuilder = StateGraph[Table, RunConfig, Opening, Table]
TurnGraph = CompiledStateGraph[TurnState, TurnContext, TurnState, TurnState]
Asking = Callable[[TurnState, Runtime[TurnContext]], Awaitable[dict[str, Any]]]
Validating = Callable[[TurnState, Runtime[TurnContext]], dict[str, Any]]
TableNode = Callable[[Table, Runtime[RunConfig]], Awaitable[dict[str, Any]]]

Given = ParamSpec("Given")
Found = TypeVar("Found")


def mind(role: str, check: Check, writer: Writer | None = None) -> TurnGraph:
    """ask → validate ↺: the drafts that are refused never leave it.

    Args:
        role: what agents are asked for: reason, propose, answer or act.
        check: what a message has to say to be sound.
        writer: writes the letters, for a workflow with letters of its own.
    """
    return retried(role, ask(role, writer), lightly(validate(check)))


def retried(name: str, asking: Asking, validating: Asking | Validating) -> TurnGraph:
    """A mind from its two nodes: asking again until what was drafted is sound."""

    def verdict(minds: TurnState, runtime: Runtime[TurnContext]) -> Literal["again", "sound"]:
        return "again" if pending(minds["minds"], runtime.context.asked) else "sound"

    page = StateGraph(TurnState, context_schema=TurnContext)
    page.add_node("ask", asking)
    page.add_node("validate", validating)
    page.add_edge(START, "ask")
    page.add_edge("ask", "validate")
    page.add_conditional_edges("validate", quick(verdict), {"again": "ask", "sound": END})
    return page.compile(name=name)


def quick(work: Callable[Given, Found]) -> Callable[Given, Awaitable[Found]]:
    """A node or a verdict that computes, and little: it stays on the event loop.

    LangGraph runs what is not asynchronous in a thread, which costs more than such work does.
    """

    @wraps(work)
    async def here(*given: Given.args, **named: Given.kwargs) -> Found:
        return work(*given, **named)

    return here


def lightly(validating: Validating) -> Asking:
    """Validation that computes little, unless somebody's reservation value is known.

    Drafts are held against it: files are read for that, and payoffs computed, in a thread.
    """

    async def here(minds: TurnState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
        if config_of(runtime.context.table["settings"]).secrets:
            return await asyncio.to_thread(validating, minds, runtime)
        return validating(minds, runtime)

    return here


def seated(
    thinking: TurnGraph, who: Callable[[Table], list[str]], topic: Topic, say: Say
) -> TableNode:
    """A node of the table at which some agents think, and then speak.

    Args:
        thinking: the mind they think with.
        who: whose turn it is.
        topic: what it is about.
        say: how what they say enters the table.
    """

    async def speak(table: Table, runtime: Runtime[RunConfig]) -> dict[str, Any]:
        moment = TurnContext(table, tuple(table.get("asked") or who(table)), topic)
        runtime.stream_writer(asking(moment))
        started = time.monotonic()
        thought = await thinking.ainvoke(
            {"minds": {}}, context=moment, durability=_durability(moment, runtime)
        )
        minds = thought["minds"]
        spent: Spent = {
            "seconds": time.monotonic() - started,
            "agents": {agent: one["spent"] for agent, one in minds.items()},
        }
        spoken = {agent: minds[agent]["spoken"] for agent in moment.asked}
        runtime.stream_writer(answered(moment, minds, spoken, spent["seconds"]))
        return {**say(moment, spoken), "spent": {topic.phase: spent}}

    return speak


def _durability(moment: TurnContext, runtime: Runtime[RunConfig]) -> Durability | None:
    """How a mind's own checkpoints are kept; None is as the table's.

    A person's reply is matched to what the mind keeps. Models' answers wait in the journal, where
    a mind that is begun anew finds them: it keeps nothing unless it fails.
    """
    kept = runtime.execution_info is not None and runtime.execution_info.thread_id is not None
    room = config_of(moment.table["settings"])
    models_alone = not any(seat_of(room, who).human for who in moment.asked)
    return "exit" if kept and models_alone else None
