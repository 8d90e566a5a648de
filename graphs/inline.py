"""Nodes and verdicts that stay on the event loop, and that a synchronous `invoke` can run, too."""

from collections.abc import Callable
from inspect import iscoroutinefunction, signature
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.runtime import get_runtime

from shapley_coop.blocking import run_blocking


class Inline(Runnable[Any, Any]):
    """A function of the table, and of the runtime if it takes two arguments.

    LangGraph runs a synchronous node in a thread, which costs more than most of ours compute, and
    refuses to run an asynchronous one synchronously; this does neither.

    Args:
        work: synchronous, and short; or asynchronous.
    """

    def __init__(self, work: Callable[..., Any]) -> None:
        self._work = work
        self._awaits = iscoroutinefunction(work)
        self._takes_runtime = len(signature(work).parameters) > 1
        self.name = getattr(work, "__name__", None)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run it from synchronous code."""
        return run_blocking(self._call(input)) if self._awaits else self._call(input)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run it from a loop."""
        return await self._call(input) if self._awaits else self._call(input)

    def _call(self, table: Any) -> Any:
        return self._work(table, get_runtime()) if self._takes_runtime else self._work(table)


def inline(work: Callable[..., Any]) -> Inline:
    """A node or a verdict that holds no thread; see `Inline`."""
    return Inline(work)
