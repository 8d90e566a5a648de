"""Conditions compiled: whether they hold, and whether they may still come to hold.

This is done by progression (Bacchus and Kabanza, 1998): after every turn a condition becomes what
is left of it, which is the condition together with the few values that its future depends on
(`deals.language.memory`). Equal values leave an equal rest, so they can be compared, looked up and
enumerated. The definition that this follows reads the whole record: `holds` in
`tests/deals/brute_force.py`, with which the tests compare it.

Cost: about 1 μs a turn and condition, however long the history.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from math import prod
from typing import Any, Literal

from shapley_coop.deals.language.memory import Latest, Memory, Now, Slot, Sum, Times
from shapley_coop.deals.language.when import (
    EVERYONE,
    All,
    AnyOf,
    Count,
    Earned,
    Every,
    Last,
    Not,
    Turns,
    When,
    conditions_in,
    event_of,
)
from shapley_coop.games import Turn

Holds = Callable[[Memory, int], bool]
Actions = Mapping[str, Sequence[str]]
Known = tuple[tuple[str, tuple[str, ...]], ...]
"""The same of those that a condition names, hashable."""

Asked = Literal["before", "after"]
Window = tuple[int, int]

_OTHER = "\0"  # an action that no condition names
MAX_FUTURES = 4_096
"""More ways to go on than this, in one turn or up to its last, are not enumerated: the condition
may then hold."""


class Condition:
    """A condition, compiled.

    Args:
        when: the condition.
        asked: whether with the record before each turn, as obligations are, or after it, as
            payments are.
        actions: agent → all it can do; an agent that is absent may do anything. Only `may_hold`
            looks at them.
    """

    def __init__(self, when: When, asked: Asked = "before", actions: Known = ()) -> None:
        self._asked = asked
        self._slots: dict[Slot, int] = {}
        parts = list(conditions_in(when))
        self._atoms = [part for part in parts if isinstance(part, Last | Count | Earned)]
        self._named = _named_actions(self._atoms)
        start: list[Any] = []
        for atom in self._atoms:
            slot, value = self._slot(atom)
            if slot not in self._slots:
                self._slots[slot] = len(start)
                start.append(value)
        self.start: Memory = tuple(start)
        self.holds: Holds = self._compiled(when)
        self._actions = dict(actions)
        self._sums = {n: slot.agent for slot, n in self._slots.items() if isinstance(slot, Sum)}
        self._timed = len(parts) > len(self._atoms)
        self._wait = cache(self._shortest)
        self._last_time = cache(self._latest)
        self._onward: dict[Memory, frozenset[Memory] | None] = {}

    def after(self, memory: Memory, turn: Turn) -> Memory:
        """What is left of the condition after a turn."""
        return tuple([slot.after(memory[n], turn) for slot, n in self._slots.items()])

    def may_hold(self, memory: Memory, now: int, window: Window) -> bool:
        """Whether some course of the game makes it hold at a turn of the window.

        Agents may do anything they can, or nothing, and rewards may be anything. Breadth first over
        all that could be remembered. Cost: a lookup where the condition does not speak of turns,
        else linear in the turns until it may hold.

        Args:
            memory: what is remembered before turn `now` is played.
            now: the next turn.
            window: the first and the last turn at which it counts.
        """
        first, last = window
        if not self._slots:
            return max(now, first) <= self._last_time(last)
        if not self._timed and first <= now:
            wait = self._wait(memory)
            return wait is not None and now + wait <= last
        memories, looked_at = {memory}, 0
        for turn in range(now, last + 1):
            looked_at += len(memories)
            if looked_at > MAX_FUTURES:
                return True
            if self._asked == "before" and turn >= first and self._any(memories, turn):
                return True
            onward = self._union(memories)
            if onward is None:
                return True
            memories = onward
            if self._asked == "after" and turn >= first and self._any(memories, turn):
                return True
        return False

    def _shortest(self, memory: Memory) -> int | None:
        """How many turns it takes at least until it holds, whatever the turn; None if it never can.

        For a condition that does not speak of turns: the answer is the same at every turn.
        """
        memories, seen, turns = {memory}, {memory}, 0
        while memories:
            if self._asked == "before" and self._any(memories, 1):
                return turns
            onward = self._union(memories)
            if onward is None or (self._asked == "after" and self._any(onward, 1)):
                return turns
            memories, seen, turns = onward - seen, seen | onward, turns + 1
        return None

    def _union(self, memories: set[Memory]) -> set[Memory] | None:
        futures = [self._futures(memory) for memory in memories]
        if None in futures:
            return None
        return set().union(*(found for found in futures if found))

    def _any(self, memories: set[Memory], turn: int) -> bool:
        return any(self.holds(memory, turn) for memory in memories)

    def _latest(self, last: int) -> int:
        """The last turn up to `last` at which a condition on turns alone holds; 0 if at none."""
        return next((turn for turn in range(last, 0, -1) if self.holds((), turn)), 0)

    def _futures(self, memory: Memory) -> frozenset[Memory] | None:
        """What could be remembered after one more turn; None if that is too much to enumerate."""
        # Whatever a sum is now, it can be at any level next.
        key = tuple([None if n in self._sums else value for n, value in enumerate(memory)])
        if key not in self._onward:
            self._onward[key] = self._enumerated(memory)
        return self._onward[key]

    def _enumerated(self, memory: Memory) -> frozenset[Memory] | None:
        choices = [self._choices(agent) for agent in self._named]
        levels = [self._levels(agent) for agent in self._sums.values()]
        if prod(len(ways) for ways in choices) * prod(len(x) for x in levels) > MAX_FUTURES:
            return None
        found = set()
        for acts in product(*choices):
            actions = {a: x for a, x in zip(self._named, acts, strict=True) if x is not None}
            for reached in product(*levels):
                gains = {
                    agent: level - memory[n]
                    for (n, agent), level in zip(self._sums.items(), reached, strict=True)
                }
                found.add(self.after(memory, _imagined(actions, gains)))
        return frozenset(found)

    def known(self, actions: Actions) -> Known:
        """What the agents can do whose actions it depends on, as something to be looked up."""
        return tuple((agent, tuple(actions[agent])) for agent in self._named if agent in actions)

    def _choices(self, agent: str) -> list[str | None]:
        """What an agent could do next, as far as it matters: None is nothing at all."""
        named, known = self._named[agent], self._actions.get(agent)
        if known is None:
            return [*sorted(named), _OTHER, None]
        other = [_OTHER] if set(known) - named else []
        return [*sorted(named & set(known)), *other, None]

    def _levels(self, agent: str) -> list[Fraction]:
        """One sum below every threshold, and each threshold."""
        at = {a.at_least for a in self._atoms if isinstance(a, Earned) and a.earned == agent}
        return [min(at) - 1, *sorted(at)]

    def _slot(self, atom: Last | Count | Earned) -> tuple[Slot, Any]:
        match atom:
            case Last(last=event):
                slot = Latest if self._asked == "before" else Now
                return slot(event.agent, frozenset(self._named[event.agent])), None
            case Count(count=event, at_least=least):
                return Times(event.agent, event.action, least), 0
            case Earned(earned=agent):
                return Sum(agent), 0

    def _compiled(self, when: When) -> Holds:
        match when:
            case Turns(turns=(first, last)):
                return lambda _, turn: first <= turn <= last
            case Every(every=step, start=start):
                return lambda _, turn: turn >= start and (turn - start) % step == 0
            case Last(last=event):
                at, action = self._slots[self._slot(when)[0]], event.action
                return lambda memory, _: bool(memory[at] == action)
            case Count(at_least=least) | Earned(at_least=least):
                at = self._slots[self._slot(when)[0]]
                return lambda memory, _: bool(memory[at] >= least)
            case All(all=parts):
                inner = [self._compiled(part) for part in parts]
                return lambda memory, turn: all(part(memory, turn) for part in inner)
            case AnyOf(any=parts):
                inner = [self._compiled(part) for part in parts]
                return lambda memory, turn: any(part(memory, turn) for part in inner)
            case Not(negated=part):
                negated = self._compiled(part)
                return lambda memory, turn: not negated(memory, turn)
            case _:
                return lambda _, __: True


@lru_cache(maxsize=1_024)
def compiled_condition(when: When, asked: Asked) -> Condition:
    """A condition, compiled once: contracts, amendments and offers repeat them."""
    return Condition(when, asked)


@lru_cache(maxsize=128)
def foreseeing_condition(when: When, asked: Asked, actions: Known) -> Condition:
    """The same for `may_hold`: few are kept, because each keeps what it has enumerated."""
    return Condition(when, asked, actions)


def _named_actions(atoms: Sequence[Last | Count | Earned]) -> dict[str, set[str]]:
    named: dict[str, set[str]] = {}
    for event in filter(None, map(event_of, atoms)):
        named.setdefault(event.agent, set()).add(event.action)
    return named


def _imagined(actions: dict[str, str], gains: dict[str, Fraction]) -> Turn:
    """A turn in which this was done and the sums grew by this; the pot makes up the rest."""
    rewards: dict[str, Any] = {a: gain for a, gain in gains.items() if a != EVERYONE}
    turn: dict[str, Any] = {"turn": 0, "actions": actions, "rewards": rewards}
    if EVERYONE in gains:
        turn["pot"] = gains[EVERYONE] - sum(rewards.values())
    return turn  # type: ignore[return-value] # sums are fractions here, as in the memory
