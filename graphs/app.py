"""A compiled workflow: LangGraph's compiled graph, whose nodes that ask agents are asynchronous."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.types import ERROR
from langgraph.errors import GraphRecursionError
from langgraph.graph.state import CompiledStateGraph

from shapley_coop.blocking import iterate_blocking, run_blocking
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.table import Opening, Result, Table

MOST_STEPS = 10_000
"""The limit of steps of a run whose configuration sets none; LangGraph's own is about as high."""


class App(CompiledStateGraph[Table, RunConfig, Opening, Result]):
    """A compiled workflow whose nodes that ask agents are asynchronous.

    The synchronous methods, such as `invoke`, run the asynchronous ones on an event loop in a
    thread, so that they also work in a notebook. So a checkpoint saver needs asynchronous methods.
    """

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
        """Stream like `astream`, one item at a time; `invoke` calls this method."""
        return iterate_blocking(self.astream(input, config, **options))

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> AsyncIterator[Any]:
        """Stream like LangGraph, but also store that a run has exceeded its limit of steps.

        LangGraph stores only errors of nodes, so such a run would seem never to end.
        """
        try:
            async with aclosing(super().astream(input, config, **options)) as parts:  # type: ignore[type-var]
                async for part in parts:
                    yield part
        except GraphRecursionError as error:
            if config and isinstance(self.checkpointer, BaseCheckpointSaver):
                state = await self.aget_state(config)
                for task in state.tasks:
                    await self.checkpointer.aput_writes(state.config, [(ERROR, error)], task.id)
            raise

    def astream_events(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> Any:
        """Stream events within the limit of steps that holds for `astream`."""
        # LangChain would set its own limit of 25 steps, which most games exceed.
        limit = {"recursion_limit": MOST_STEPS, **(self.config or {})}["recursion_limit"]
        return super().astream_events(
            input, cast(RunnableConfig, {"recursion_limit": limit, **(config or {})}), **options
        )

    def bulk_update_state(self, config: RunnableConfig, supersteps: Any) -> RunnableConfig:
        """Update the state like `abulk_update_state`; `update_state` calls this method."""
        return run_blocking(self.abulk_update_state(config, supersteps))
