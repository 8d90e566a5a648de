"""The callback handler of a node's call: it counts tokens and stops tools from acting again."""

import asyncio
import copy
import threading
from collections.abc import Callable
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import set_config_context
from langgraph.errors import GraphBubbleUp

from shapley_coop.extensions.attribute.calls import added
from shapley_coop.extensions.attribute.naming import named_in, no_warning_of
from shapley_coop.extensions.attribute.scope import Scope, current, within

HANDOFF = "__handoff_destination"
"""The metadata key by which langgraph-supervisor and langgraph-swarm mark their handoff tools."""


class ToolWouldAct(GraphBubbleUp):
    """The error that stops a tool from acting again in a hypothetical play.

    It bubbles up as interrupts do, so a node's error handling does not turn it into an answer.
    """


no_warning_of(ToolWouldAct)


class Watch(BaseCallbackHandler):
    """The handler that counts tokens, and stops tools that may not act.

    `stopped` holds the name of a stopped tool, since a node may catch the error of the tool.

    Args:
        scope: the call of the node.
        may_act: a function from a tool's name to whether the tool may act now.
        begins: a function that is called with the name of each tool that acts.
    """

    raise_error = True
    run_inline = True

    def __init__(
        self, scope: Scope, may_act: Callable[[str], bool], begins: Callable[[str], None]
    ) -> None:
        self.scope, self.stopped = scope, ""
        self.models = 0
        self._may_act, self._begins = may_act, begins
        self._names: dict[Any, tuple[str, Scope]] = {}
        self._lock = threading.Lock()

    def on_tool_start(self, serialized: dict[str, Any], input_str: str, **said: Any) -> None:
        """Let a tool act if it may; otherwise raise `ToolWouldAct`."""
        if HANDOFF in (said.get("metadata") or {}):
            return
        name = str((serialized or {}).get("name") or said.get("name") or "a tool")
        own = self._own()
        if own.path in own.play.stage.wrappers and own.path.startswith(f"tool:{name}"):
            return  # this tool is an agent, whose repeated calls the cache answers
        if not self._may_act(name):
            self.stopped = self.stopped or name
            raise ToolWouldAct(name)
        self._begins(name)
        own.tools.append(name)

    def _own(self) -> Scope:
        """Return the innermost running call."""
        return current() or self.scope

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[Any], **said: Any
    ) -> None:
        """Remember which model is asked."""
        self.on_llm_start(serialized, [], **said)

    def on_llm_start(self, serialized: dict[str, Any], prompts: list[str], **said: Any) -> None:
        """Remember which model is asked."""
        about = said.get("metadata") or {}
        with self._lock:
            self.models += 1
            scope = self._own()
            scope.models += 1
            scope.places.append(str(about.get("langgraph_checkpoint_ns") or ""))
            self._names[said.get("run_id")] = named_in(said), scope

    def on_llm_end(self, response: LLMResult, **said: Any) -> None:
        """Count the tokens that the model read and wrote."""
        with self._lock:
            unnamed = "unknown:unnamed", self.scope
            model, scope = self._names.pop(said.get("run_id"), unnamed)
            for generation in (g for several in response.generations for g in several):
                if not isinstance(generation, ChatGeneration):
                    continue
                if used := getattr(generation.message, "usage_metadata", None):
                    spent = (used["input_tokens"], used["output_tokens"])
                    scope.tokens = added(scope.tokens, {model: spent})


async def asked_in(
    bound: Runnable[Any, Any], state: Any, config: RunnableConfig, scope: Scope
) -> Any:
    """Call a node with the config as context: inner calls without their own config use it."""
    with set_config_context(config) as context:
        return await asyncio.create_task(_awaited(bound, state, config, scope), context=context)


async def _awaited(
    bound: Runnable[Any, Any], state: Any, config: RunnableConfig, scope: Scope
) -> Any:
    with within(scope):
        return await bound.ainvoke(state, config)


def copied(value: Any) -> Any:
    """Return a deep copy, or the value itself if it cannot be copied."""
    try:
        return copy.deepcopy(value)
    except Exception:  # locks and open files, for example, cannot be copied
        return value
