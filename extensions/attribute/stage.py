"""What all plays of an app share: kept calls, limits, who may be asked, what was counted."""

import asyncio
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakValueDictionary

from langchain_core.language_models import BaseChatModel
from langgraph.errors import GraphBubbleUp

from shapley_coop.extensions.attribute.absence import described
from shapley_coop.extensions.attribute.app import App
from shapley_coop.extensions.attribute.calls import Call, Calls, Took
from shapley_coop.extensions.attribute.canonical import canonical, digest
from shapley_coop.extensions.attribute.emptying import (
    Emptying,
    Written,
    emptied,
    kept,
    steering,
    unmeasured,
)
from shapley_coop.extensions.attribute.settings import Settings
from shapley_coop.extensions.attribute.traces import Recorded


class CallsSpent(RuntimeError):
    """The most calls that were allowed are made; what was made is kept."""


class Endless(GraphBubbleUp):
    """A play that goes on and on; no node's error handling turns it into an answer."""


class NotPlayed(ValueError):
    """A play that cannot be had: a tool would act again, or a node may not be asked anew."""


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
        took: what it took.
        after: the agents that had finished before it began.
        places: nodes within it that asked a model.
    """

    path: str
    written: Written
    took: Took
    after: frozenset[str]
    places: tuple[str, ...] = ()


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
    """Calls of all plays so far: see `AppCredit.calls`."""

    made: int = 0
    saved: int = 0
    other: int = 0
    models: int = 0
    without_cache: int = 0


@dataclass
class Stage:
    """What all plays of an app share.

    Attributes:
        app: its graph and agents.
        settings: the settings.
        calls: that are kept.
        steps: that a play may take.
        recorded: what a trace holds, and by question and run in `traced`.
        counts: of calls so far.
        unkept: calls that cannot be written to the disk.
        wrappers: paths of tools that are agents.
        notes: what a reader must know.
    """

    app: App
    settings: Settings
    calls: Calls
    steps: int
    recorded: Recorded | None = None
    traced: Mapping[str, Mapping[int, Sequence[Call]]] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
    unkept: dict[str, Call] = field(default_factory=dict)
    wrappers: set[str] = field(default_factory=set)
    notes: dict[str, str] = field(default_factory=dict)
    _questions: dict[tuple[int, int, int], str] = field(default_factory=dict)
    _asking: "WeakValueDictionary[str, asyncio.Lock]" = field(default_factory=WeakValueDictionary)

    def __post_init__(self) -> None:
        """Take the tools that are agents, as far as nothing needs to be asked."""
        app = self.app
        for path, at in app.places.items():
            if path not in app.nodes and (at.why or path in app.names):
                self.wrappers.add(path)

    def question(self, unit: Unit) -> str:
        """Return what is asked of one unit: the input, the agents, and what stands in for them."""
        at = (unit.number, unit.sample, unit.repeat)
        if at not in self._questions:
            absent = json.dumps(described(self.settings.absent), sort_keys=True)
            about = [canonical(unit.given)[0], str(unit.sample), str(unit.repeat), absent]
            about += [*sorted(self.app.names), "", *sorted(self.settings.keep)]
            self._questions[at] = digest(*about)
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

    def traced_call(self, unit: Unit, path: str, text: str, nth: int) -> Call | None:
        """Return what a trace holds for an input: of this input's own run, else of another."""
        runs = self.traced.get(digest(path, text), {})
        own = runs.get(unit.number) or next(iter(runs.values()), ())
        return own[nth] if nth < len(own) else None

    @property
    def unreadable(self) -> Mapping[str, str]:
        """Path → why what a trace holds of it cannot be replayed."""
        return self.recorded.unreadable if self.recorded else {}

    def having(self, **settings: Any) -> "Stage":
        """Return the same with other settings."""
        return replace(self, settings=self.settings.model_copy(update=settings), _questions={})

    def keeping(self, keys: Collection[str]) -> "Stage":
        """Return the same, where absent agents write some more fields as they did."""
        return self.having(keep=tuple(dict.fromkeys([*self.settings.keep, *keys])))

    def emptying(self, words: str = "") -> Emptying:
        """How what an absent agent wrote is emptied, with other words in the place of its own."""
        return Emptying(self.app.schema, frozenset(self.settings.keep), words)

    def _blank(self, agent: str, runs: Iterable[Played]) -> list[Written]:
        """Return what an agent wrote whose stand-in is blank; nothing of others."""
        is_blank = self.settings.absent_for(agent) == "blank"
        return [v.written for run in runs for v in run.of(agent)] if is_blank else []

    def steering(self, agent: str, runs: Iterable[Played]) -> dict[str, bool]:
        """Return fields that may steer a run and that are emptied where an agent is absent."""
        return steering(self._blank(agent, runs), self.emptying(), self.app.nodes)

    def kept_fields(self, agent: str, runs: Iterable[Played]) -> list[str]:
        """Return fields that are kept where an agent is absent, because they steer the run."""
        return kept(self._blank(agent, runs), self.app.schema)

    def unmeasured(self, agent: str, runs: Iterable[Played]) -> list[str]:
        """Return fields of an agent, or `goto`, that its stand-in writes as it did."""
        absent = self.settings.absent_for(agent)
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
            elif others := emptied(self._blank(agent, [full]), self.emptying()):
                told.append(
                    f"; the absent {agent} wrote {', '.join(others)}, now emptied: if the app "
                    f"needs it, --absent {agent}=path.py:function"
                )
        return "".join(told)

    def failed(self, unit: Unit, played: Played) -> str:
        """Say that the app fails with all its agents, and what it may lack."""
        sample = f", sample {unit.sample + 1}" if unit.sample else ""
        why = f"{played.failure}{self._not_given(played.failure)}"
        return f"the app with all its agents, input {unit.number}{sample}: {why}"

    def _not_given(self, failure: str) -> str:
        """Return what an app that fails with all its agents may lack, because nobody gave it."""
        graph = self.app.graph
        schema = getattr(graph, "context_schema", None)
        is_configured = (self.settings.config or {}).get("configurable")
        if schema and self.settings.context is None and not is_configured:
            return (
                f"; the app has a {schema.__name__}, and none is given: give --context or --config"
            )
        if "NoneType" in failure and graph.store is None:
            return "; the app has no store: if a node needs one, compile it with a store"
        return ""
