"""One play of an app by a coalition: its members are asked, the others are stood in for."""

from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.errors import GraphInterrupt, GraphRecursionError, ParentCommand

from shapley_coop.extensions.attribute.absence import OtherWords, StandInCall, described
from shapley_coop.extensions.attribute.answering import Unanswered, answered
from shapley_coop.extensions.attribute.app import Graph, StandIn
from shapley_coop.extensions.attribute.calls import Acting, Call
from shapley_coop.extensions.attribute.canonical import canonical, digest, renamed
from shapley_coop.extensions.attribute.emptying import Written
from shapley_coop.extensions.attribute.overlay import Overlay, Put
from shapley_coop.extensions.attribute.stage import (
    CallsSpent,
    Endless,
    NotPlayed,
    Played,
    Stage,
    Unit,
    Visit,
)
from shapley_coop.extensions.attribute.watching import Watch, asked_in, copied

TIMES, MORE = 3, 5
"""How often an absent agent may be asked: so many times as in the full run, and some more."""

THREAD = "00000000-0000-4000-8000-000000000000"
"""Every play's thread: each has a checkpointer of its own, and nodes may read the name."""


async def play(
    stage: Stage, unit: Unit, present: Collection[str], full: Played | None = None
) -> Played:
    """Play the app once.

    Args:
        stage: the app, its kept calls, its limits.
        unit: the input.
        present: the agents that take part.
        full: the play of all agents, which says what the absent would have written; None is that
            play itself.

    Returns:
        What came of it. A play that fails says so, and is worth nothing that is known.

    Raises:
        CallsSpent: no further call is allowed.
    """
    one = _Play(stage, unit, frozenset(present), full)
    await one.run()
    return one.result


class _Node(NamedTuple):
    """A node of the app, and the managed values that it is given beside the state."""

    path: str
    bound: Runnable[Any, Any]
    managed: frozenset[str]


class _Play:
    def __init__(
        self, stage: Stage, unit: Unit, present: frozenset[str], full: Played | None
    ) -> None:
        self.stage, self.unit, self.present, self.full = stage, unit, present, full
        self.result = Played()
        self.store = Overlay.over(stage.app.graph.store)
        self.seen: Counter[str] = Counter()
        self.stood: Counter[str] = Counter()
        self.finished: set[str] = set()
        self.tried: set[str] = set()
        self.spent: CallsSpent | None = None

    async def run(self) -> None:
        asks = self.stage.answers is not None
        graph = self.stage.app.copy(self.stand_in, self.store, resumable=asks)
        own: RunnableConfig = {
            "recursion_limit": self.stage.limits.steps,
            "configurable": {"thread_id": THREAD},
            # Whoever traces the app can tell these plays from its own runs.
            "metadata": {"coop_coalition": ",".join(sorted(self.present))},
        }
        config = merge_configs(self.stage.config, own)
        try:
            self.result.state = await self.to_its_end(graph, config)
        except CallsSpent:
            raise
        except Unanswered as reason:
            self.fail(str(reason))
        except GraphRecursionError:
            self.endless(f"it did not end within {self.stage.limits.steps} steps")
        except Endless as reason:
            self.endless(str(reason))
        except Exception as error:
            said = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            self.fail(f"{said}{self.hint()}")
        if self.spent:  # an app that catches errors caught this one, too
            raise self.spent

    async def to_its_end(self, graph: Graph, config: RunnableConfig) -> Any:
        """The final state; where a node asks a person, the given answer is handed in."""
        given: Any = copied(self.unit.given)
        for _ in range(self.stage.limits.steps):
            state = await graph.ainvoke(given, config, context=self.stage.context)
            if not (isinstance(state, dict) and state.get("__interrupt__")):
                return state
            given = await answered(graph, config, self.stage.answers)
        raise GraphRecursionError

    def fail(self, reason: str) -> None:
        """The first reason counts: what follows from it is no other."""
        self.result.failure = self.result.failure or reason

    def endless(self, reason: str) -> None:
        self.result.endless = not self.result.failure
        self.fail(f"{reason}{self.hint()}")

    def not_played(self, reason: str) -> NotPlayed:
        self.fail(reason)
        self.result.played = False
        return NotPlayed(reason)

    def hint(self) -> str:
        """Which fields of absent agents were emptied, where one of them may steer the run."""
        return self.stage.hint(self.present, self.full) if self.full else ""

    def stand_in(self, path: str, bound: Runnable[Any, Any], managed: frozenset[str]) -> StandIn:
        """What replaces a node in this play."""
        absent = path in self.stage.app.agents and path not in self.present
        node = _Node(path, bound, managed)
        return partial(self.absent_node if absent else self.present_node, node)

    async def present_node(self, node: _Node, state: Any, config: RunnableConfig) -> Any:
        after, path = frozenset(self.finished), node.path
        call, names = await self.call(node, state, config)
        output = renamed(call.output, names)
        if path in self.stage.app.agents:
            self.finished.add(path)
        if self.full is None:
            # What it wrote may be changed by those who read it: the record has its own copy.
            written = Written(copied(state), copied(output))
            seen = Visit(path, written, call.tokens, call.models, call.tools, after)
            self.result.visits.append(seen)
        return output

    async def absent_node(self, node: _Node, state: Any, config: RunnableConfig) -> Any:
        path = node.path
        self.sized(path, canonical(state, node.managed)[0])
        choice = self.stage.absent_for(path)
        templates = self.full.of(path) if self.full else []
        nth = self.stood[path]
        self.stood[path] += 1
        if nth > TIMES * len(templates) + MORE:
            raise Endless(f"it did not end: the absent {path} was asked {nth} times")
        if choice == "silent":
            return None
        label = f"{path}:{described(choice)}"
        if choice != "blank" and not isinstance(choice, BaseChatModel):
            asked = node._replace(path=label, bound=StandInCall(choice))
            call, names = await self.call(asked, state, config)
            return renamed(call.output, names)
        if not templates:
            return None
        words = ""
        if isinstance(choice, BaseChatModel):
            asked = node._replace(path=label, bound=OtherWords(choice))
            words = (await self.call(asked, state, config))[0].output
        return self.stage.emptying(words)(templates[min(nth, len(templates) - 1)].written, state)

    async def call(
        self, node: _Node, state: Any, config: RunnableConfig
    ) -> tuple[Call, dict[str, str]]:
        """A kept call, or a new one, and the names of this input's ids in its output."""
        stage, path = self.stage, node.path
        text, ids = canonical(state, node.managed)
        self.sized(path, text)
        known = digest(path, text, self.store.said() if self.store else "")
        nth, self.seen[known] = self.seen[known], self.seen[known] + 1
        key = digest(known, str(self.unit.sample), str(self.unit.repeat), str(nth))
        is_agent = path.split(":", maxsplit=1)[0] in stage.app.agents
        stage.counts.naive += is_agent
        async with stage.one_at_a_time(key):
            call = stage.calls.get(key) or copied(stage.unkept.get(key))
            if call is None and (call := stage.recorded(self.unit, path, text, nth)):
                call = stage.calls.put(key, call)
                stage.counts.saved += is_agent
            elif call is None:
                try:
                    call = await self.new_call(key, node, state, config, ids, is_agent)
                except GraphInterrupt:  # it is the same call that goes on with the answer
                    self.seen[known] -= 1
                    raise
            else:
                stage.counts.saved += is_agent
                if self.store:
                    self.store.put_again(call.puts)
        stage.calls.used(stage.question(self.unit), key)
        return call, {number: name for name, number in ids.items()}

    async def new_call(
        self,
        key: str,
        node: _Node,
        state: Any,
        config: RunnableConfig,
        ids: Mapping[str, str],
        is_agent: bool,
    ) -> Call:
        """Ask a node, and keep what it says."""
        stage, acting, path = self.stage, self.stage.calls.acting(key), node.path
        self.allowed(path, key, acting)
        self.tried.add(key)
        stage.counts.made += is_agent
        # Tools act in the first recorded run of an input, and in no other play.
        first = self.full is None and self.unit.sample == 0
        watch = Watch(lambda tool: first or stage.rules.may_act(path, tool), acting.begin)
        try:
            output, puts = await self.watched(node, state, config, watch)
        except GraphInterrupt:
            stage.counts.made -= is_agent
            raise
        finally:
            stage.counts.models += watch.models
        if not is_agent:
            stage.counts.other_made += 1
            stage.counts.made += watch.models > 0
        said, acted = renamed(copied(output), ids), tuple(dict.fromkeys(watch.tools))
        call = Call(said, watch.tokens, watch.models, acted, tuple(puts))
        try:
            call = stage.calls.put(key, call)
        except TypeError as reason:
            stage.unkept[key] = call
            stage.notes[path] = f"calls of {path} are not kept on disk: {reason}"
        acting.done()
        return call

    def allowed(self, path: str, key: str, acting: Acting) -> None:
        """Refuse a call that may not be made.

        Raises:
            NotPlayed: nobody may be asked anew, or a tool may have acted in it already.
            CallsSpent: the most calls are made.
        """
        stage = self.stage
        if not (stage.rules.ask if self.full else stage.rules.record):
            why = stage.unreadable.get(path, "what it is given was not recorded")
            raise self.not_played(f"{path} would be asked anew: {why}")
        # The app's own retries of a node are part of a run, tools and all.
        begun = [] if key in self.tried else acting.begun()
        if begun and not stage.rules.may_act(path, begun[0]):
            raise self.not_played(
                f"{begun[0]} began to act in a call of {path} that never ended: nobody knows "
                "whether it did"
            )
        if stage.counts.made >= stage.limits.calls:
            self.spent = CallsSpent(f"{stage.limits.calls} calls are made")
            raise self.spent

    async def watched(
        self, node: _Node, state: Any, config: RunnableConfig, watch: Watch
    ) -> tuple[Any, list[Put]]:
        """What a node says and writes to the store, while tools are watched."""
        puts: list[Put] = []
        try:
            with self.store.writing(puts) if self.store else nullcontext():
                output = await asked_in(
                    node.bound, state, merge_configs(config, {"callbacks": [watch]})
                )
        except ParentCommand as sent:
            # A subgraph handed over: the command names a place of that run alone.
            output = replace(sent.args[0], graph=None)
        finally:
            if watch.stopped:
                self.not_played(f"tool {watch.stopped} of {node.path} would act again")
        if watch.stopped:  # the node caught the error: what it says then is no answer
            raise NotPlayed(self.result.failure)
        return output, puts

    def sized(self, path: str, text: str) -> None:
        """Refuse a state that grows without bound."""
        if len(text) > self.stage.limits.state:
            self.fail(f"the state that {path} is given has {len(text)} characters{self.hint()}")
            raise ValueError("the state is too large")
