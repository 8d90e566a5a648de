"""What all plays of an app share: kept calls, limits, who may be asked, what was counted."""

import asyncio
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakValueDictionary

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from shapley_coop.extensions.attribute.absence import Absent, described
from shapley_coop.extensions.attribute.answering import Answers
from shapley_coop.extensions.attribute.app import App
from shapley_coop.extensions.attribute.calls import Call, Calls, Tokens
from shapley_coop.extensions.attribute.canonical import canonical, digest
from shapley_coop.extensions.attribute.emptying import (
    Emptying,
    Written,
    emptied,
    kept,
    steering,
    unmeasured,
)


class CallsSpent(RuntimeError):
    """The most calls that were allowed are made; what was made is kept."""


class Endless(GraphBubbleUp):
    """A play that goes on and on; no node's error handling turns it into an answer."""


class NotPlayed(ValueError):
    """A play that cannot be had: a tool would act again, or a node may not be asked anew."""


@dataclass(frozen=True)
class Limits:
    """What a play may take.

    Attributes:
        calls: new node calls, of all plays together.
        steps: of one play.
        state: characters of what a node is given.
    """

    calls: int
    steps: int
    state: int


@dataclass(frozen=True)
class Unit:
    """One input, and which of its samples.

    Attributes:
        number: of the input, from 1.
        given: the input.
        sample: from 0.
        repeat: how many equal inputs came before; their calls are not this one's.
    """

    number: int
    given: Any
    sample: int
    repeat: int = 0


@dataclass(frozen=True)
class Visit:
    """One time a node was asked in a play.

    Attributes:
        path: of the node.
        written: what it was given and what it wrote.
        tokens: of its models.
        models: how many model calls it took.
        tools: that acted in it.
        after: the agents that had finished before it began.
        places: nodes within it that asked a model.
        seconds: that it took when it was made.
    """

    path: str
    written: Written
    tokens: Tokens
    models: int
    tools: tuple[str, ...]
    after: frozenset[str]
    places: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass
class Played:
    """What came of a play: the final state, or why there is none; `endless`: it did not end."""

    state: Any = None
    failure: str = ""
    played: bool = True
    endless: bool = False
    metrics: dict[str, float] = field(default_factory=dict)
    visits: list[Visit] = field(default_factory=list)

    def of(self, path: str) -> list[Visit]:
        """Return the visits of a node, in order."""
        return [visit for visit in self.visits if visit.path == path]


@dataclass
class Counts:
    """Calls of all plays so far."""

    made: int = 0
    saved: int = 0
    other_made: int = 0
    models: int = 0
    naive: int = 0


@dataclass(frozen=True)
class Rules:
    """Who may be asked on a new input, and whose tools may act in it.

    Attributes:
        ask: whether a node may be asked what is not kept.
        record: whether it may be in the play of all agents; a trace holds that play.
        tools_of: nodes whose tools may act again; None: those of all nodes.
        safe_tools: tools that may act again, because they change nothing.
    """

    ask: bool = True
    record: bool = True
    tools_of: frozenset[str] | None = frozenset()
    safe_tools: frozenset[str] = frozenset()

    def may_act(self, path: str, tool: str) -> bool:
        """Return whether a tool may act a second time."""
        return self.tools_of is None or path in self.tools_of or tool in self.safe_tools


@dataclass
class Stage:
    """What all plays of an app share; `wrappers` are the paths of tools that are agents."""

    app: App
    absent: Absent
    calls: Calls
    limits: Limits
    rules: Rules
    keep: frozenset[str] = frozenset()
    context: Any = None
    config: RunnableConfig | None = None
    answers: Answers | None = None
    counts: Counts = field(default_factory=Counts)
    unkept: dict[str, Call] = field(default_factory=dict)
    wrappers: set[str] = field(default_factory=set)
    notes: dict[str, str] = field(default_factory=dict)
    traced: Mapping[str, Mapping[int, Sequence[Call]]] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)
    _questions: dict[tuple[int, int, int], str] = field(default_factory=dict)
    _asking: "WeakValueDictionary[str, asyncio.Lock]" = field(default_factory=WeakValueDictionary)

    def question(self, unit: Unit) -> str:
        """Return what is asked of one unit: the input, the agents, and what stands in for them."""
        at = (unit.number, unit.sample, unit.repeat)
        if at not in self._questions:
            absent = json.dumps(described(self.absent), sort_keys=True)
            about = (canonical(unit.given)[0], str(unit.sample), str(unit.repeat), absent)
            self._questions[at] = digest(*about, *sorted(self.app.names), "", *sorted(self.keep))
        return self._questions[at]

    def kept(self, units: Iterable[Unit]) -> int:
        """Return how many of the calls that it takes are kept, as far as it was asked before."""
        return self.calls.kept(self.question(unit) for unit in units)

    def is_answered(self, units: Iterable[Unit], how: str) -> bool:
        """Return whether the same coalitions of all units were played before."""
        return self.calls.is_answered((self.question(unit) for unit in units), how)

    def answered(self, units: Iterable[Unit], how: str) -> None:
        """All coalitions that were wanted are played."""
        for unit in units:
            self.calls.used(self.question(unit), how)

    def one_at_a_time(self, key: str) -> asyncio.Lock:
        """So that two plays that ask the same at once ask it once."""
        lock = self._asking.get(key)
        if lock is None:
            lock = self._asking[key] = asyncio.Lock()
        return lock

    def recorded(self, unit: Unit, path: str, text: str, nth: int) -> Call | None:
        """Return what a trace holds for an input: of this input's own run, else of another."""
        runs = self.traced.get(digest(path, text), {})
        own = runs.get(unit.number) or next(iter(runs.values()), ())
        return own[nth] if nth < len(own) else None

    def keeping(self, keys: Collection[str]) -> "Stage":
        """Return the same, where absent agents write some more fields as they did."""
        return replace(self, keep=self.keep.union(keys), _questions={})

    def allowing(self, calls: int) -> "Stage":
        """Return the same, where so many more calls may be made."""
        limits = replace(self.limits, calls=self.counts.made + calls)
        return replace(self, limits=limits, _questions={})

    def emptying(self, words: str = "") -> Emptying:
        """How what an absent agent wrote is emptied, with other words in the place of its own."""
        return Emptying(self.app.schema, self.keep, words)

    def steering(self, agent: str, runs: Sequence[Played]) -> dict[str, bool]:
        """Return fields that may steer a run and that are emptied where an agent is absent."""
        if self.absent_for(agent) != "blank":
            return {}
        outputs = [visit.written.output for played in runs for visit in played.of(agent)]
        return steering(outputs, self.emptying(), self.app.nodes)

    def kept_fields(self, agent: str, runs: Sequence[Played]) -> list[str]:
        """Return fields that are kept where an agent is absent, because they steer the run."""
        if self.absent_for(agent) != "blank":
            return []
        outputs = [visit.written.output for played in runs for visit in played.of(agent)]
        return kept(outputs, self.app.schema)

    def unmeasured(self, agent: str, runs: Sequence[Played]) -> list[str]:
        """Return fields of an agent, or `goto`, that its stand-in writes as it did."""
        absent = self.absent_for(agent)
        if absent != "blank" and not isinstance(absent, BaseChatModel):
            return []
        visits = [visit.written for played in runs for visit in played.of(agent)]
        return unmeasured(visits, self.emptying())

    def hint(self, asked: Collection[str], full: Played) -> str:
        """Return what may have gone wrong in a play because fields of absent agents were emptied.

        Args:
            asked: the absent agents in whose place something was written.
            full: the play of all agents.
        """
        told = []
        for agent in sorted(asked):
            if keys := self.steering(agent, [full]):
                told.append(
                    f"; the absent {agent} wrote {', '.join(keys)}, now emptied: if that steers "
                    f"the run, --keep {next(iter(keys))}, or --absent {agent}=path.py:function"
                )
            elif self.absent_for(agent) == "blank" and (others := self._emptied(agent, full)):
                told.append(
                    f"; the absent {agent} wrote {', '.join(others)}, now emptied: if the app "
                    f"needs it, --absent {agent}=path.py:function"
                )
        return "".join(told)

    def not_given(self, failure: str) -> str:
        """Return what an app that fails with all its agents may lack, because nobody gave it."""
        graph = self.app.graph
        schema = getattr(graph, "context_schema", None)
        if schema and self.context is None and not (self.config or {}).get("configurable"):
            return (
                f"; the app has a {schema.__name__}, and none is given: give --context or --config"
            )
        if "NoneType" in failure and graph.store is None:
            return "; the app has no store: if a node needs one, compile it with a store"
        return ""

    def _emptied(self, agent: str, full: Played) -> list[str]:
        """Return fields that an absent agent does not write as it did."""
        return emptied([visit.written.output for visit in full.of(agent)], self.emptying())

    def absent_for(self, agent: str) -> Any:
        """Return what stands in for an agent."""
        if isinstance(self.absent, Mapping):
            return self.absent.get(agent, "blank")
        return self.absent
