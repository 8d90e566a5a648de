"""The state that all plays of an app share: cached calls, settings, limits, counters."""

import asyncio
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
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
from shapley_coop.extensions.attribute.limits import Counts
from shapley_coop.extensions.attribute.settings import Settings
from shapley_coop.extensions.attribute.traces import Recorded


class CallsSpent(RuntimeError):
    """The error if a call would exceed `max_calls`; the calls made so far are kept.

    Attributes:
        enough: an estimate of the `max_calls` that would suffice; 0 if there is none.
    """

    enough = 0


OF_A_STORE = re.compile(
    r"'NoneType' object has no attribute 'a?(get|put|search|delete|batch|list_)"
)
"""The failure of a node that uses a store which is not there."""


class Endless(GraphBubbleUp):
    """The error that stops a play without end; a node's error handling does not catch it."""


class NotPlayed(ValueError):
    """The error if a play would repeat a tool's effect, or make a call that is not allowed."""


@dataclass(frozen=True)
class Unit:
    """One sample of one input.

    Attributes:
        number: the number of the input, from 1.
        given: the input.
        sample: the number of the sample, from 0.
        repeat: the number of earlier equal inputs; this unit does not reuse their cached calls.
    """

    number: int
    given: Any
    sample: int
    repeat: int = 0


@dataclass(frozen=True)
class Visit:
    """One call of a node in a play.

    Attributes:
        path: the agent's name, or the path of another node.
        written: the call's input and output; both are empty except in recorded runs.
        took: the resources that the call used.
        after: the agents that had finished before the call began.
        places: nodes within this node that asked a model.
    """

    path: str
    written: Written
    took: Took
    after: frozenset[str]
    places: tuple[str, ...] = ()


@dataclass
class Played:
    """The result of a play: a final state or a failure; `endless` if the play did not end."""

    state: Any = None
    failure: str = ""
    played: bool = True
    endless: bool = False
    metrics: dict[str, float] = field(default_factory=dict)
    visits: list[Visit] = field(default_factory=list)

    def of(self, path: str) -> list[Visit]:
        """Return the calls of a node in this play, in order."""
        return [visit for visit in self.visits if visit.path == path]


@dataclass
class Stage:
    """The state that all plays of an app share.

    Attributes:
        app: the app, with its graph and agents.
        calls: the cached calls.
        steps: the limit of steps of a play.
        recorded: the content of a trace; `traced` holds the trace's calls by question and run.
        counts: the counters of calls so far.
        unkept: calls that cannot be written to the disk.
        wrappers: paths of tools that are agents.
        notes: topic → a remark for the result.
        askers: the paths of nodes that asked a model.
        blanks: fields whose texts are emptied to a single space: see `Emptying`.
        slots: one for each play that may run at the same time; copies of a stage share them.
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
    askers: set[str] = field(default_factory=set)
    blanks: frozenset[str] = frozenset()
    slots: asyncio.Semaphore = field(default_factory=asyncio.Semaphore)
    _questions: dict[tuple[int, int, int], str] = field(default_factory=dict)
    _asking: "WeakValueDictionary[str, asyncio.Lock]" = field(default_factory=WeakValueDictionary)

    def __post_init__(self) -> None:
        """Put the tools that are known to be agents before any run into `wrappers`."""
        app = self.app
        for path, at in app.places.items():
            if path not in app.nodes and (at.why or path in app.names):
                self.wrappers.add(path)

    def check_pace(self, before: int, done: int, units: int) -> None:
        """Refuse to record more runs if all are expected to need more than `max_calls` calls.

        Args:
            before: how many calls were paid before the first of these runs.
            done: the runs recorded so far.
            units: the number of all runs.

        Raises:
            ValueError: the runs are expected to need more calls.
        """
        most, needed = self.settings.max_calls, ceil((self.counts.paid - before) * units / done)
        if before + needed > most:
            each = (self.counts.made + self.counts.saved) / done  # kept calls are calls of a run
            enough = max(needed, ceil(units * each * (each + 1) / 2))
            raise ValueError(
                f"recording {units} runs takes about {needed} calls that ask a model, max_calls is "
                f"{most}: raise it to about {enough}, which allows plays without each "
                "agent, or give fewer inputs (recorded calls are kept)"
            )

    def question(self, unit: Unit) -> str:
        """Return a hash of all that plays of an input depend on: agents, stand-ins, `keep`."""
        at = (unit.number, unit.sample, unit.repeat)
        if at not in self._questions:
            absent = json.dumps(described(self.settings.absent), sort_keys=True)
            about = [canonical(unit.given)[0], str(unit.sample), str(unit.repeat), absent]
            about += [*sorted(self.app.names), "", *sorted(self.settings.keep)]
            about += ["", *sorted(self.blanks)] if self.blanks else []
            self._questions[at] = digest(*about)
        return self._questions[at]

    def kept(self, units: Iterable[Unit]) -> int:
        """Return the number of cached calls that earlier plays of these inputs needed."""
        return self.calls.kept(self.question(unit) for unit in units)

    def is_answered(self, units: Iterable[Unit], how: str) -> bool:
        """Return whether a set of coalitions, named `how`, was played before on all inputs."""
        return self.calls.is_answered((self.question(unit) for unit in units), how)

    def answered(self, units: Iterable[Unit], how: str) -> None:
        """Record that a set of coalitions, named `how`, has been played on all these inputs."""
        for unit in units:
            self.calls.used(self.question(unit), how)

    def one_at_a_time(self, key: str) -> asyncio.Lock:
        """Return the lock of a question, by which plays that run at once ask it only once."""
        lock = self._asking.get(key)
        if lock is None:
            lock = self._asking[key] = asyncio.Lock()
        return lock

    def traced_call(self, unit: Unit, path: str, text: str, nth: int) -> Call | None:
        """Return a question's nth call in the trace's run of this input, or else in another run."""
        runs = self.traced.get(digest(path, text), {})
        own = runs.get(unit.number) or next(iter(runs.values()), ())
        return own[nth] if nth < len(own) else None

    @property
    def unreadable(self) -> Mapping[str, str]:
        """Path → the reason why the trace's runs of this node cannot be replayed."""
        return self.recorded.unreadable if self.recorded else {}

    def having(self, **settings: Any) -> "Stage":
        """Return a copy of this stage with these settings changed."""
        return replace(self, settings=self.settings.model_copy(update=settings), _questions={})

    def keeping(self, keys: Collection[str]) -> "Stage":
        """Return a copy of this stage with these keys added to the setting `keep`."""
        return self.having(keep=tuple(dict.fromkeys([*self.settings.keep, *keys])))

    def blanking(self, keys: Collection[str]) -> "Stage":
        """Return a copy of this stage that empties texts of these keys to a single space."""
        return replace(self, blanks=self.blanks | frozenset(keys), _questions={})

    def emptying(self, words: str = "") -> Emptying:
        """Return the function that empties an agent's update; `words` replaces each text."""
        return Emptying(self.app.schema, frozenset(self.settings.keep), words, self.blanks)

    def _blank(self, agent: str, runs: Iterable[Played]) -> list[Written]:
        """Return an agent's inputs and outputs in these runs; [] if its stand-in is not blank."""
        is_blank = self.settings.absent_for(agent) == "blank"
        return [v.written for run in runs for v in run.of(agent)] if is_blank else []

    def steering(self, agent: str, runs: Iterable[Played]) -> dict[str, bool]:
        """Return the agent's fields that may route a run but are emptied in its absence."""
        return steering(self._blank(agent, runs), self.emptying(), self.app.nodes)

    def read(self, agent: str, runs: Iterable[Played]) -> list[str]:
        """Return the agent's fields that an edge reads but that are emptied in its absence."""
        lost = emptied(self._blank(agent, runs), self.emptying())
        return [key for key in lost if key in self.app.schema.read]

    def kept_fields(self, agent: str, runs: Iterable[Played]) -> list[str]:
        """Return the agent's fields that are kept if it is absent, because they route the run."""
        return kept(self._blank(agent, runs), self.app.schema)

    def unmeasured(self, agent: str, runs: Iterable[Played]) -> list[str]:
        """Return the fields, or `goto`, that an agent's stand-in writes as the agent did."""
        absent = self.settings.absent_for(agent)
        if absent != "blank" and not isinstance(absent, BaseChatModel):
            return []
        visits = [visit.written for played in runs for visit in played.of(agent)]
        return unmeasured(visits, self.emptying(), self.app.targets(agent))

    def hint(self, asked: Collection[str], full: Played) -> str:
        """Return the end of an error message: the emptied fields that may explain a failure.

        Args:
            asked: the absent agents whose stand-ins were called.
            full: the recorded play of all agents.
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
        """Return the error message of an app that fails even if all its agents take part."""
        sample = f", sample {unit.sample + 1}" if unit.sample else ""
        hint = "" if played.state is not None else self._not_given(played.failure)
        why = f"{played.failure}{hint}"
        return f"the app with all its agents, input {unit.number}{sample}: {why}"

    def _not_given(self, failure: str) -> str:
        """Return a hint that the app lacks a context or a store; "" if neither is likely."""
        graph = self.app.graph
        schema = getattr(graph, "context_schema", None)
        is_configured = (self.settings.config or {}).get("configurable")
        if schema and self.settings.context is None and not is_configured:
            return (
                f"; the app has a {schema.__name__}, and none is given: give --context or --config"
            )
        if OF_A_STORE.search(failure) and graph.store is None:
            return "; the app has no store: if a node needs one, compile it with a store"
        return ""
