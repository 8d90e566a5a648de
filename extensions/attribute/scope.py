"""The counters of one call of a node, or of an agent that is called as a tool."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from shapley_coop.extensions.attribute.calls import Call, Inner, Tokens, Took, added


@dataclass
class Scope:
    """A running call of a node, or of an agent as a tool, with the counts of its resources.

    Attributes:
        play: the play that the call belongs to.
        path: the path of the node or tool.
        tokens: the tokens of the call's models, without tokens of agents that it called.
        models: the number of its model calls.
        tools: the tools that acted in the call.
        inner: the agents that it called as tools, in the order in which they ended.
        asked: the paths of all agents that it called, present or absent.
        places: checkpoint namespaces of the nodes within the call that asked a model.
        begun: the start, in seconds of `perf_counter`.
        instead: the model that answers in place of the agent's own model.
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
        """Return the resources used so far, without those of agents that the call called."""
        of_inner = sum(one.took.seconds for one in self.inner)
        seconds = max(0.0, perf_counter() - self.begun - of_inner)
        return Took(self.tokens, self.models, tuple(dict.fromkeys(self.tools)), seconds)

    def call(self, output: Any, puts: Sequence[Any] = ()) -> Call:
        """Return the finished call as a `Call` with this output and these writes to the store."""
        places = tuple(dict.fromkeys(map(path_of, self.places)))
        took, inner, asked = self.took(), tuple(self.inner), frozenset(self.asked)
        return Call(output, took, tuple(puts), inner, asked, places)

    def absorb(self, failed: "Scope") -> None:
        """Add the resources of a failed inner call to this call."""
        self.tools += failed.tools
        self.tokens = added(self.tokens, failed.tokens)
        self.models += failed.models


_SCOPE: ContextVar[Scope | None] = ContextVar("the call that is being made", default=None)


def current() -> Scope | None:
    """Return the innermost running call; None outside of plays."""
    return _SCOPE.get()


@contextmanager
def within(scope: Scope) -> Iterator[Scope]:
    """Make `scope` the innermost running call within the `with` block."""
    token = _SCOPE.set(scope)
    try:
        yield scope
    finally:
        _SCOPE.reset(token)


def path_of(namespace: str) -> str:
    """Return a node's path from its namespace: team:id|writer:id becomes team/writer."""
    return "/".join(part.partition(":")[0] for part in namespace.split("|"))
