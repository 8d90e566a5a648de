"""What is counted while a node, or an agent that is called as a tool, is asked."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from shapley_coop.extensions.attribute.calls import Call, Inner, Tokens, Took, added


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
        places: nodes within it that asked a model, as LangGraph writes them.
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

    def took(self) -> Took:
        """Return what it has taken so far, without the agents that it called."""
        of_inner = sum(one.took.seconds for one in self.inner)
        seconds = max(0.0, perf_counter() - self.begun - of_inner)
        return Took(self.tokens, self.models, tuple(dict.fromkeys(self.tools)), seconds)

    def call(self, output: Any, puts: Sequence[Any] = ()) -> Call:
        """Return the call, with what it answered."""
        places = tuple(dict.fromkeys(map(path_of, self.places)))
        took, inner, asked = self.took(), tuple(self.inner), frozenset(self.asked)
        return Call(output, took, tuple(puts), inner, asked, places)

    def absorb(self, failed: "Scope") -> None:
        """Count as its own what a call within it took that failed."""
        self.tools += failed.tools
        self.tokens = added(self.tokens, failed.tokens)
        self.models += failed.models


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


def path_of(namespace: str) -> str:
    """Return a node's path: LangGraph writes team:id|writer:id."""
    return "/".join(part.partition(":")[0] for part in namespace.split("|"))
