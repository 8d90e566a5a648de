"""Another model in place of an agent's own: the same prompts and tools, and another's answers.

`invoke`, `ainvoke`, `stream` and `astream` of LangChain's `BaseChatModel` are the ways in which a
model is asked. While an app is attributed they look here whether the agent that asks has been given
another model; outside of a play they are as they were.
"""

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable

from shapley_coop.extensions.attribute.naming import name_of
from shapley_coop.extensions.attribute.scope import current


@dataclass(frozen=True)
class OtherModel:
    """An agent is asked as it is, and this model answers in place of its own."""

    model: BaseChatModel

    def __str__(self) -> str:
        """Name the model."""
        return f"with {name_of(self.model)}"


@dataclass
class Lent:
    """Methods of a library's class that are ours for as long as anybody attributes an app.

    Attributes:
        lend: puts ours there.
        give_back: puts the library's own there again.
    """

    lend: Callable[[], None]
    give_back: Callable[[], None]
    users: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Lend them; the last user gives them back."""
        with self.lock:
            self.users += 1
            self.lend()
        try:
            yield
        finally:
            with self.lock:
                self.users -= 1
                if not self.users:
                    self.give_back()


def said(model: BaseChatModel | None) -> list[str]:
    """Return what tells calls with another model apart; nothing where an agent has its own."""
    return [] if model is None else [str(OtherModel(model))]


def _asked(own: BaseChatModel, kwargs: dict[str, Any]) -> tuple[Runnable[Any, Any] | None, Any]:
    """Return who answers in place of a model, and with which settings; None: it does by itself."""
    scope = current()
    model = scope.instead if scope else None
    if model is None or own is model:
        return None, kwargs
    if type(own) is type(model) or "tools" not in kwargs:
        return model, kwargs
    # The tools were written for another provider; each reads those of the others.
    more = {key: x for key, x in kwargs.items() if key not in ("tools", "tool_choice")}
    return model.bind_tools(kwargs["tools"]), more


def _invoke(self: BaseChatModel, input: Any, config: Any = None, **kwargs: Any) -> Any:
    model, more = _asked(self, kwargs)
    if model is None:
        return INVOKE(self, input, config, **kwargs)
    return model.invoke(input, config, **more)


async def _ainvoke(self: BaseChatModel, input: Any, config: Any = None, **kwargs: Any) -> Any:
    model, more = _asked(self, kwargs)
    if model is None:
        return await AINVOKE(self, input, config, **kwargs)
    return await model.ainvoke(input, config, **more)


def _stream(self: BaseChatModel, input: Any, config: Any = None, **kwargs: Any) -> Iterator[Any]:
    model, more = _asked(self, kwargs)
    if model is None:
        yield from STREAM(self, input, config, **kwargs)
    else:
        yield from model.stream(input, config, **more)


async def _astream(
    self: BaseChatModel, input: Any, config: Any = None, **kwargs: Any
) -> AsyncIterator[Any]:
    model, more = _asked(self, kwargs)
    found = (
        ASTREAM(self, input, config, **kwargs)
        if model is None
        else model.astream(input, config, **more)
    )
    async for part in found:
        yield part


INVOKE, AINVOKE = BaseChatModel.invoke, BaseChatModel.ainvoke
STREAM, ASTREAM = BaseChatModel.stream, BaseChatModel.astream


def _put(invoke: Any, ainvoke: Any, stream: Any, astream: Any) -> None:
    BaseChatModel.invoke, BaseChatModel.ainvoke = invoke, ainvoke  # type: ignore[method-assign]
    BaseChatModel.stream, BaseChatModel.astream = stream, astream  # type: ignore[method-assign]


models_lent = Lent(
    partial(_put, _invoke, _ainvoke, _stream, _astream),
    partial(_put, INVOKE, AINVOKE, STREAM, ASTREAM),
)
"""Has the models of agents that were given others answered by these."""
