"""Agents that are called as tools: stand-ins for absent agents, cached calls of present agents.

Every tool is called through `invoke` or `ainvoke` of LangChain's `BaseTool`. During an attribution
these two methods are patched to use stand-ins and cached calls. Outside of plays the patched
methods behave as LangChain's own.
"""

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolRuntime
from langgraph.store.base import BaseStore
from langgraph.types import Command

from shapley_coop.extensions.attribute.agents import KIND
from shapley_coop.extensions.attribute.calls import Call, Inner
from shapley_coop.extensions.attribute.canonical import (
    Incomparable,
    canonical,
    digest,
    fields_of,
    renamed,
)
from shapley_coop.extensions.attribute.instead import Lent, said
from shapley_coop.extensions.attribute.scope import Scope, current, within
from shapley_coop.extensions.attribute.watching import copied

CALL = "coop:id:call"
"""The placeholder for the id of a tool call in a cached call."""

_NOTHING = object()


class ToolAgent:
    """One call of a tool in a play.

    Args:
        outer: the running call in which the tool is called.
        given: the tool's arguments, or a tool call with them.
    """

    def __init__(self, outer: Scope, tool: BaseTool, given: Any) -> None:
        self.outer, self.play, self.tool = outer, outer.play, tool
        self.is_call = isinstance(given, Mapping) and given.get("type") == "tool_call"
        self.id = str(given.get("id") or "") if self.is_call else ""
        args = given["args"] if self.is_call else given
        kind = args.get(KIND) if isinstance(args, Mapping) else None
        self.path = f"tool:{tool.name}" + (f":{kind}" if kind else "")
        self.given = _plain(args)
        self.name = self.play.stage.app.names.get(self.path, self.path)
        self.instead = self.play.instead(self.path)
        self.scope = Scope(self.play, self.path, instead=self.instead)
        self.is_known = self.path in self.play.stage.wrappers
        self.base = self._base() if self.is_known else ""

    def _base(self) -> str:
        try:
            text, _ = canonical({"args": self.given})
        except Incomparable:
            return ""
        return str(self.play.counted(digest(self.path, text, *said(self.instead))))

    @property
    def is_absent(self) -> bool:
        """Whether the tool is an absent agent."""
        return bool(self.play.status(self.path)) and self.instead is None

    def found(self) -> Any:
        """Return the answer of a stand-in or a cached call; `_NOTHING` if the tool must run."""
        if self.is_known:
            self.outer.asked.add(self.path)
        if self.is_absent:
            return self.absent()
        call = self.play.kept(self.base) if self.base else None
        self.play.stage.counts.without_cache += self.is_agent
        if call is None:
            return _NOTHING
        self.play.stage.counts.saved += self.is_agent
        return self.told(call)

    @property
    def is_agent(self) -> bool:
        """Whether the tool is one of the attributed agents."""
        return self.path in self.play.stage.app.names

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Let the tool run in the `with` block; if it fails, add its counts to the outer call."""
        if self.is_known:
            self.play.within_limit()
        try:
            with within(self.scope):
                yield
        except BaseException:
            self.outer.absorb(self.scope)
            raise

    def ended(self, output: Any) -> Any:
        """Keep the call of a known agent, or of a tool that called a model or an agent."""
        scope, stage = self.scope, self.play.stage
        if not self.is_known and not scope.models and not scope.inner:
            self.outer.tools += scope.tools
            return output
        if not self.is_known:
            stage.wrappers.add(self.path)
            self.outer.asked.add(self.path)
        if self.tool.name in scope.tools:  # count a tool that calls an agent only as that agent
            scope.tools.remove(self.tool.name)
        call = scope.call(renamed(copied(output), {self.id: CALL} if self.id else {}))
        stage.counts.made += self.is_agent
        stage.counts.paid += self.is_agent and scope.models > 0
        if self.base or not self.is_known:
            try:
                self.play.keep(self.base or self._base(), call)
            except TypeError as reason:
                stage.notes[self.path] = f"calls of {self.name} are not kept on disk: {reason}"
        return self.told(call)

    def told(self, call: Call) -> Any:
        """Record a call in the outer call; return its answer with this tool call's id."""
        one = Inner(self.path, copied(self.given), call.output, call.took)
        self.outer.inner += [*call.inner, one]
        self.outer.asked |= call.asked
        if self.is_agent:
            self.play.finished.add(self.name)
        return renamed(copied(call.output), {CALL: self.id})

    def absent(self) -> Any:
        """Return the stand-in's answer; a blank stand-in gives the tool's answer without words."""
        play = self.play
        templates = [v.written.output for v in play.full.of(self.name)] if play.full else []
        play.bounded(self.name, len(templates))
        choice, words = play.stage.settings.absent_for(self.name), ""
        if isinstance(choice, BaseChatModel):
            words = choice.invoke([HumanMessage(canonical(self.given)[0])]).text
        elif not isinstance(choice, str):
            words = _said(choice, self.given)
        if self.is_call:
            message = ToolMessage(words, tool_call_id=self.id, name=self.tool.name)
            is_command = templates and isinstance(templates[0], Command)
            return Command(update={"messages": [message]}) if is_command else message
        if words or not templates or isinstance(templates[0], str):
            return words
        return play.stage.emptying().value(templates[0])


def _invoke(self: BaseTool, input: Any, config: Any = None, **more: Any) -> Any:
    if (outer := current()) is None:
        return INVOKE(self, input, config, **more)
    one = ToolAgent(outer, self, input)
    with _held(one):
        if (found := one.found()) is not _NOTHING:
            return found
        with one.asking():
            output = INVOKE(self, input, config, **more)
        return one.ended(output)


async def _ainvoke(self: BaseTool, input: Any, config: Any = None, **more: Any) -> Any:
    if (outer := current()) is None:
        return await AINVOKE(self, input, config, **more)
    one = ToolAgent(outer, self, input)
    async with one.play.stage.one_at_a_time(one.base or f"{id(one)}"):
        if (found := one.found()) is not _NOTHING:
            return found
        with one.asking():
            output = await AINVOKE(self, input, config, **more)
        return one.ended(output)


INVOKE, AINVOKE = BaseTool.invoke, BaseTool.ainvoke


def _put(invoke: Any, ainvoke: Any) -> None:
    BaseTool.invoke, BaseTool.ainvoke = invoke, ainvoke  # type: ignore[method-assign]


tools_watched = Lent(partial(_put, _invoke, _ainvoke), partial(_put, INVOKE, AINVOKE))
"""The patch of `BaseTool` that uses stand-ins and cached calls."""


@contextmanager
def _held(one: ToolAgent) -> Iterator[None]:
    """Lock a question in the `with` block, but not on the event loop's thread: it may not wait."""
    loop = one.play.loop
    if not one.base or _is_running():
        yield
        return
    lock = one.play.stage.one_at_a_time(one.base)
    asyncio.run_coroutine_threadsafe(lock.acquire(), loop).result()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(lock.release)


def _is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _said(choice: Callable[..., Any] | Runnable[Any, Any], given: Any) -> str:
    found = choice.invoke(given) if isinstance(choice, Runnable) else choice(given)
    if inspect.isawaitable(found):
        raise ValueError("the stand-in of an agent that is a tool must not be async")
    return str(found)


def _plain(args: Any) -> Any:
    """Return the arguments as data, without stores; a `ToolRuntime` becomes its state."""
    if not isinstance(args, Mapping):
        return args
    shown = dict[str, Any]()
    for name, one in args.items():
        if isinstance(one, ToolRuntime):
            # A sub-agent of Deep Agents receives its task, but no earlier messages.
            without = {"messages", "remaining_steps"} if KIND in args else {"remaining_steps"}
            shown[name] = {k: x for k, x in fields_of(one.state).items() if k not in without}
        elif not isinstance(one, BaseStore):
            shown[name] = one
    return shown
