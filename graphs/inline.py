"""Nodes and verdicts that stay on the event loop, and that a synchronous `invoke` can run, too."""

from collections.abc import AsyncIterator, Callable, Iterator
from functools import cached_property
from inspect import iscoroutinefunction, signature
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.runtime import get_runtime

from shapley_coop.blocking import run_blocking


class Inline(RunnableLambda[Any, Any]):
    """A function of the table, and of the runtime if it takes two arguments.

    LangGraph runs a synchronous node in a thread, which costs more than most of ours compute, and
    refuses to run an asynchronous one synchronously; this does neither. It is a `RunnableLambda`
    so that LangGraph finds the state's schema in the function's annotations, and makes no run of
    its own in traces.

    Args:
        work: synchronous, and short; or asynchronous.

    Attributes:
        work: the same.
    """

    def __init__(self, work: Callable[..., Any]) -> None:
        super().__init__(work)
        self.work = work
        self._awaits = iscoroutinefunction(work)
        self._takes_runtime = len(signature(work).parameters) > 1

    @cached_property
    def deps(self) -> list[Runnable[Any, Any]]:
        """No runnables: LangGraph would parse each function's source, at each start, to find some.

        It looks for graphs that a node calls, and none of ours calls one.
        """
        return []

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run it from synchronous code."""
        return run_blocking(self._call(input)) if self._awaits else self._call(input)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run it from an event loop."""
        return await self._call(input) if self._awaits else self._call(input)

    def transform(
        self, input: Iterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Any]:
        """Run it for LangGraph's synchronous streams: a table comes whole."""
        for table in input:
            yield self.invoke(table, config)

    async def atransform(
        self, input: AsyncIterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        """Run it for LangGraph's streams: a table comes whole."""
        async for table in input:
            yield await self.ainvoke(table, config)

    def _call(self, table: Any) -> Any:
        return self.work(table, get_runtime()) if self._takes_runtime else self.work(table)
