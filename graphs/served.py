"""Runs that LangGraph's server plays in this home, read from the checkpoints of their threads.

These runs are not in the register, because the server begins, resumes and deletes them.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from shapley_coop.graphs.catalogue import names
from shapley_coop.graphs.threads import open_workflow
from shapley_coop.state.result import result
from shapley_coop.state.storage.checkpoints.savers import shared_saver
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import ENDED, FAILED, STARTED, WAITING, Run
from shapley_coop.state.table import Table

LISTED = 200
"""The largest number of threads that a list shows."""


async def list_served(threads: Mapping[str, str]) -> list[Run]:
    """Return the newest threads, at most LISTED, as runs.

    Args:
        threads: thread id → the time at which it began, newest first (`Home.threads`).
    """
    found: list[Run] = []
    for thread, begun in threads.items():
        try:
            run = await run_from_thread(thread, begun)
        except ValueError as error:  # a damaged thread must not hide the others
            why = f"cannot be read: {error}"
            run = Run(thread, "", {}, begun, FAILED, None, why=why, served=True)
        if run:
            found.append(run)
        if len(found) == LISTED:
            break
    return found


async def run_from_thread(thread: str, begun: str) -> Run | None:
    """Return a thread as a run, or None if it was deleted or plays an unknown workflow."""
    place: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    async with shared_saver(home()) as saver:
        head = await saver.aget_tuple(place)
    about: Any = head.metadata if head else {}
    graph = str(about.get("graph_id", ""))
    if graph not in names():
        return None
    async with open_workflow(graph) as app:
        state = await app.aget_state(place)
    if "settings" not in state.values:
        return None
    table = cast(Table, state.values)
    stands, why = _stands(state)
    outcome = await asyncio.to_thread(result, thread, graph, table) if stands == ENDED else None
    return Run(thread, graph, dict(table["settings"]), begun, stands, outcome, why=why, served=True)


def _stands(state: StateSnapshot) -> tuple[str, str]:
    """Return a thread's state in the register's words, and why it has not ended ("" if it has)."""
    if state.interrupts:
        waiting = ", ".join(str(i.value["pointer"]["agent"]) for i in state.interrupts)
        return WAITING, f"waits for {waiting}, on LangGraph's server"
    if any(task.error for task in state.tasks):
        return FAILED, "failed on LangGraph's server, which can go on with it"
    if state.next or not state.values.get("settlement"):
        return STARTED, "is played by LangGraph's server"
    return ENDED, ""
