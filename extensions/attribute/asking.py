"""The calls of nodes in a play: cached calls are reused, and other calls are made if allowed."""

import asyncio
import json
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.errors import GraphInterrupt, ParentCommand

from shapley_coop.extensions.attribute.absence import described
from shapley_coop.extensions.attribute.calls import Call
from shapley_coop.extensions.attribute.canonical import canonical, digest, renamed
from shapley_coop.extensions.attribute.inplace import Before, change
from shapley_coop.extensions.attribute.instead import OtherModel, said
from shapley_coop.extensions.attribute.overlay import Overlay, Put
from shapley_coop.extensions.attribute.scope import Scope
from shapley_coop.extensions.attribute.stage import CallsSpent, NotPlayed, Played, Stage, Unit
from shapley_coop.extensions.attribute.watching import Watch, asked_in, copied


class Node(NamedTuple):
    """A node of the app; `instead` is the model that replaces the node's own model, if any."""

    path: str
    bound: Runnable[Any, Any]
    managed: frozenset[str]
    name: str
    instead: BaseChatModel | None = None


class Asking:
    """The calls of one play: made, taken from the cache, or refused.

    Args:
        stage: the state that all plays share: the app, its cached calls, its limits.
        unit: the input and its sample.
        present: the agents that take part.
        full: the recorded play of all agents; None if this play is the recorded one.
    """

    def __init__(
        self, stage: Stage, unit: Unit, present: frozenset[str], full: Played | None
    ) -> None:
        self.stage, self.unit, self.present, self.full = stage, unit, present, full
        self.result = Played()
        self.store = Overlay.over(stage.app.graph.store)
        self.seen: Counter[str] = Counter()
        self.stood: Counter[str] = Counter()
        self.tried: set[str] = set()
        self.spent: CallsSpent | None = None
        self.finished: set[str] = set()
        self.loop = asyncio.get_running_loop()

    def fail(self, reason: str) -> None:
        """Record why the play failed, unless an earlier failure, its cause, is recorded."""
        self.result.failure = self.result.failure or reason

    def not_played(self, reason: str) -> NotPlayed:
        """Record why this coalition cannot be played, and return the error to raise."""
        self.fail(reason)
        self.result.played = False
        return NotPlayed(reason)

    def hint(self) -> str:
        """Return a hint that emptied fields of absent agents may be why the play failed, or ""."""
        return self.stage.hint(self.stood, self.full) if self.full else ""

    def choice(self, path: str) -> Any:
        """Return an absent agent's stand-in; None for present agents and for other nodes."""
        name = self.stage.app.names.get(path)
        is_there = name is None or name in self.present
        return None if is_there else self.stage.settings.absent_for(str(name))

    def status(self, path: str) -> str:
        """Return the stand-in for an absent agent as text; "" for a present one."""
        choice = self.choice(path)
        return "" if choice is None else str(described(choice))

    def instead(self, path: str) -> BaseChatModel | None:
        """Return the model that answers in place of an agent's own model; None if no other does."""
        choice = self.choice(path)
        return choice.model if isinstance(choice, OtherModel) else None

    async def call(
        self, node: Node, state: Any, config: RunnableConfig
    ) -> tuple[Call, dict[str, str]]:
        """Return a node's cached or new call, and placeholder in its output → id in its input."""
        stage, path = self.stage, node.path
        text, ids = canonical(state, node.managed)
        names = {number: name for name, number in ids.items()}
        self.sized(path, text)
        own = node.instead is None
        known = digest(path, text, self.store.said() if self.store else "", *said(node.instead))
        nth, key = self.seen[known], self.counted(known)
        is_agent = path.split(":", maxsplit=1)[0] in stage.app.names
        stage.counts.without_cache += is_agent
        async with stage.one_at_a_time(key):
            call = self.kept(key)
            if call is None and own and (call := stage.traced_call(self.unit, path, text, nth)):
                call = self.keep(key, call)
                stage.counts.saved += is_agent
            elif call is None:
                try:
                    call = await self.new_call(key, node, state, config, ids, is_agent)
                except GraphInterrupt:  # LangGraph will repeat the call, with the person's answer
                    self.seen[known] -= 1
                    raise
            else:
                stage.counts.saved += is_agent
                change(state, renamed(call.changed, names))
                if self.store:
                    self.store.put_again(call.puts)
        if call.took.models:
            stage.askers.add(path)
        return call, names

    def counted(self, known: str) -> str:
        """Return the key of a question, and count how often this play has asked the question."""
        nth, self.seen[known] = self.seen[known], self.seen[known] + 1
        return digest(known, str(self.unit.sample), str(self.unit.repeat), str(nth))

    def kept(self, base: str) -> Call | None:
        """Return the question's cached call with the same absent agents among those it called."""
        stage = self.stage
        for asked in [frozenset[str](), *stage.calls.variants(base)]:
            key = self.variant(base, asked)
            call = stage.calls.get(key) or copied(stage.unkept.get(key))
            if call is not None:
                stage.calls.used(stage.question(self.unit), key)
                return call
        return None

    def keep(self, base: str, call: Call) -> Call:
        """Cache a call under its question and the absent agents among those that it called."""
        stage, key = self.stage, self.variant(base, call.asked)
        if call.asked:
            stage.calls.used(base, json.dumps(sorted(call.asked)))
        try:
            call = stage.calls.put(key, call)
        except TypeError:
            stage.unkept[key] = call
            raise
        stage.calls.used(stage.question(self.unit), key)
        return call

    def variant(self, base: str, asked: Collection[str]) -> str:
        """Return a call's key: a hash of the question and of the absent agents it called."""
        if not asked:
            return base
        return digest(base, *(f"{path}={self.status(path)}" for path in sorted(asked)))

    async def new_call(
        self,
        key: str,
        node: Node,
        state: Any,
        config: RunnableConfig,
        ids: Mapping[str, str],
        is_agent: bool,
    ) -> Call:
        """Call a node, count the call, and keep it in the cache."""
        stage, path = self.stage, node.path
        self.allowed(path, key)
        self.tried.add(key)
        stage.counts.made += is_agent
        is_asker = path in stage.askers  # count before calling, or parallel plays exceed the limit
        stage.counts.paid += is_asker
        # Tools act in an input's first recorded run; later plays must not repeat the tools' effect.
        first = self.full is None and self.unit.sample == 0
        scope = Scope(self, path, instead=node.instead)
        may_act = (lambda _: True) if first else partial(stage.settings.may_act, path)
        watch = Watch(scope, may_act, partial(stage.calls.begin, key))
        try:
            output, puts, changed = await self.watched(node, state, config, watch)
        except GraphInterrupt:
            stage.counts.made -= is_agent
            raise
        finally:
            stage.counts.models += watch.models
            stage.counts.paid += (scope.models > 0) - is_asker
        if not is_agent:
            stage.counts.other += 1
            stage.counts.made += scope.models > 0
        call = scope.call(renamed(copied(output), ids), puts)
        call = replace(call, changed=renamed(copied(changed), ids))
        try:
            call = self.keep(key, call)
        except TypeError as reason:
            stage.notes[path] = f"calls of {path} are not kept on disk: {reason}"
        stage.calls.ended(key)
        return call

    def allowed(self, path: str, key: str) -> None:
        """Refuse a new call that is not allowed.

        Raises:
            NotPlayed: no new calls are allowed, or a tool may have acted in this call already.
            CallsSpent: too many calls have been made.
        """
        stage = self.stage
        if not stage.settings.asks and (self.full or stage.recorded):
            why = stage.unreadable.get(path, "what it is given was not recorded")
            raise self.not_played(f"{path} would be called again: {why}")
        # A retry by the app itself is part of the run, so its tools may act again.
        begun = [] if key in self.tried else stage.calls.begun(key)
        if begun and not stage.settings.may_act(path, begun[0]):
            raise self.not_played(
                f"{begun[0]} began to act in a call of {path} that never ended: whether the tool "
                "acted is unknown"
            )
        self.within_limit()

    def within_limit(self) -> None:
        """Refuse further calls after `max_calls` with a model or `plain_calls` without one.

        Raises:
            CallsSpent: one of the two limits is reached.
        """
        counts, settings = self.stage.counts, self.stage.settings
        # While the run that finds the agents has called no model, any node may be an agent.
        finding = not self.stage.app.names and not counts.models
        plain = counts.other if finding else counts.made - counts.paid
        if counts.paid >= settings.max_calls:
            self.spent = CallsSpent(f"{settings.max_calls} calls that ask a model are made")
        elif plain >= settings.plain_calls:
            self.spent = CallsSpent(f"{settings.plain_calls} calls that ask no model are made")
        if self.spent:
            raise self.spent

    async def watched(
        self, node: Node, state: Any, config: RunnableConfig, watch: Watch
    ) -> tuple[Any, list[Put], dict[str, Any]]:
        """Call a node while its tools are watched.

        Returns:
            Its output, its writes to the store, and the values that it changed in place.
        """
        puts: list[Put] = []
        before = Before(state, node.managed)
        try:
            with self.store.writing(puts) if self.store else nullcontext():
                watching = merge_configs(config, {"callbacks": [watch]})
                output = await asked_in(node.bound, state, watching, watch.scope)
        except ParentCommand as sent:
            # The command is for a subgraph's parent, this graph: drop the command's `graph`.
            output = replace(sent.args[0], graph=None)
        finally:
            if watch.stopped:
                self.not_played(
                    f"tool {watch.stopped} of {node.path} would act again (--safe-tools "
                    f"{watch.stopped} lets it, if it changes nothing)"
                )
        if watch.stopped:  # the node caught the tool's error, so its output is no real answer
            raise NotPlayed(self.result.failure)
        return output, puts, before.changed(node.path)

    def sized(self, path: str, text: str) -> None:
        """Refuse a state of more than `max_state` characters, which may grow without bound."""
        if len(text) > self.stage.settings.max_state:
            self.fail(f"the state that {path} is given has {len(text)} characters{self.hint()}")
            raise ValueError("the state is too large")
