"""Another model in place of an agent's own model, with the same prompts and tools.

Models are called by `invoke`, `ainvoke`, `stream` and `astream` of LangChain's `BaseChatModel`.
During an attribution these methods are patched: they pass the call to the other model if the
calling agent has one. Outside of plays the patched methods behave as LangChain's own.
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
    """The stand-in that runs the agent itself, but with another model than the agent's own."""

    model: BaseChatModel

    def __str__(self) -> str:
        """Return the text "with" and the model's name."""
        return f"with {name_of(self.model)}"


@dataclass
class Lent:
    """A patch of a library's class that is in place while any attribution runs.

    Attributes:
        lend: a function that puts our methods into the class.
        give_back: a function that restores the library's methods.
    """

    lend: Callable[[], None]
    give_back: Callable[[], None]
    users: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Apply the patch within the `with` block; the last of several users removes the patch."""
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
    """Return the part of a call's cache key that names the other model; [] if there is none."""
    return [] if model is None else [str(OtherModel(model))]


def _asked(own: BaseChatModel, kwargs: dict[str, Any]) -> tuple[Runnable[Any, Any] | None, Any]:
    """Return the model that answers for `own` (None if `own` does), and the call's settings."""
    scope = current()
    model = scope.instead if scope else None
    if model is None or own is model:
        return None, kwargs
    if type(own) is type(model) or "tools" not in kwargs:
        return model, kwargs
    # The tools have another provider's format; `bind_tools` of any provider converts the format.
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
"""The patch of `BaseChatModel` that lets other models answer instead of agents' own models."""
