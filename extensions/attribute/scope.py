"""What is counted while a node, or an agent that is called as a tool, is asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from shapley_coop.extensions.attribute.calls import Inner, Tokens


@dataclass
class Scope:
    """One call while it is made.

    Attributes:
        play: the play that it is part of.
        path: of the node or tool.
        tokens: what its own models read and wrote, without those of agents that it called.
        models: how many calls of models.
        tools: that acted in it.
        inner: the agents that it called as tools, in the order in which they ended.
        asked: the paths of all that it called, also of those that are absent.
        places: nodes within it that asked a model.
        begun: when it began, by a clock that counts seconds.
        instead: the model that answers in place of its own.
    """

    play: Any
    path: str
    tokens: Tokens = field(default_factory=dict)
    models: int = 0
    tools: list[str] = field(default_factory=list)
    inner: list[Inner] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    places: list[str] = field(default_factory=list)
    begun: float = field(default_factory=perf_counter)
    instead: Any = None

    def seconds(self) -> float:
        """Return how long it has taken, without the agents that it called."""
        return max(0.0, perf_counter() - self.begun - sum(one.seconds for one in self.inner))


_SCOPE: ContextVar[Scope | None] = ContextVar("the call that is being made", default=None)


def current() -> Scope | None:
    """Return the innermost call that is being made; None outside of plays."""
    return _SCOPE.get()


@contextmanager
def within(scope: Scope) -> Iterator[Scope]:
    """Count what happens as part of a call."""
    token = _SCOPE.set(scope)
    try:
        yield scope
    finally:
        _SCOPE.reset(token)
