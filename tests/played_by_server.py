"""Threads of LangGraph's server, without one."""

from shapley_coop.graphs.threads import open_workflow
from shapley_coop.state.run_config import RunConfig


async def on_server(thread: str, graph: str = "llm_only", **about: str) -> None:
    """Play a thread as the server does, which enters none in the register."""
    async with open_workflow(graph) as app:
        place = {"configurable": {"thread_id": thread}, "metadata": {"graph_id": graph, **about}}
        await app.ainvoke({}, place, context=RunConfig(game="escape_room"))
