"""Conditions compiled for watching: what to remember of a history, and what may still come.

`deals.when.holds` says what a condition means, by looking at the whole record. Here the same is
done by progression (Bacchus and Kabanza, 1998): after every turn a condition becomes what is left
of it, which is the condition together with the few values that its future depends on. Equal values
are an equal rest, so that they can be compared, looked up and enumerated.

Cost: about 1 μs a turn and condition, however long the history.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, Literal, Protocol

from deals.when import (
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
)
from games import Number, Turn

Memory = tuple[Any, ...]
"""What a condition's future depends on: hashable, one value per slot."""

Holds = Callable[[Memory, int], bool]
Actions = Mapping[str, Sequence[str]]
Asked = Literal["before", "after"]
Window = tuple[int, int]

_OTHER = "\0"  # an action that no condition names
MAX_FUTURES = 4_096
"""More ways for one turn to go on than this are not enumerated: the condition may then hold."""


def exact_number(amount: Number | Fraction) -> int | Fraction:
    """A JSON number as the decimal it is written as; whole numbers stay as they are."""
    return Fraction(str(amount)) if isinstance(amount, float) else amount


class _Slot(Protocol):
    """One value to remember."""

    def after(self, value: Any, turn: Turn) -> Any: ...


@dataclass(frozen=True)
class _Latest:
    """An agent's latest action, among those that matter; None for any other, or for none yet."""

    agent: str
    named: frozenset[str]

    def after(self, value: Any, turn: Turn) -> Any:
        action = turn["actions"].get(self.agent)
        if action is None:
            return value
        return action if action in self.named else None


@dataclass(frozen=True)
class _Times:
    """How often an agent has done something, up to where it stops to matter."""

    agent: str
    action: str
    enough: int

    def after(self, value: Any, turn: Turn) -> Any:
        done = turn["actions"].get(self.agent) == self.action
        return min(self.enough, value + done)


@dataclass(frozen=True)
class _Sum:
    """What an agent has earned, or everyone with the pot."""

    agent: str

    def after(self, value: Any, turn: Turn) -> Any:
        if self.agent != EVERYONE:
            return value + exact_number(turn["rewards"].get(self.agent, 0))
        amounts = (*turn["rewards"].values(), turn.get("pot", 0))
        return value + sum(exact_number(x) for x in amounts)


class Condition:
    """A condition, compiled.

    Args:
        when: the condition.
        actions: agent → all it can do; an agent that is absent may do anything.
    """

    def __init__(self, when: When, actions: Actions | None = None) -> None:
        self._slots: dict[_Slot, int] = {}
        self._atoms = list(_atoms(when))
        self._named = _named_actions(self._atoms)
        start: list[Any] = []
        for atom in self._atoms:
            slot, value = self._slot(atom)
            if slot not in self._slots:
                self._slots[slot] = len(start)
                start.append(value)
        self.start: Memory = tuple(start)
        self.holds: Holds = self._compiled(when)
        self._steps = tuple((slot.after, n) for slot, n in self._slots.items())
        self._actions = actions or {}
        self._sums = {n: slot.agent for slot, n in self._slots.items() if isinstance(slot, _Sum)}
        self._timed = _speaks_of_turns(when)
        self._waits: dict[tuple[Memory, Asked], int | None] = {}
        self._onward: dict[Memory, frozenset[Memory] | None] = {}
        self._last_times: dict[int, int] = {}

    def after(self, memory: Memory, turn: Turn) -> Memory:
        """What is left of the condition after a turn."""
        return tuple([step(memory[n], turn) for step, n in self._steps]) if memory else memory

    def may_hold(self, memory: Memory, now: int, window: Window, asked: Asked = "before") -> bool:
        """Whether some course of the game makes it hold at a turn of the window.

        Agents may do anything they can, or nothing, and rewards may be anything. Breadth first over
        all that could be remembered. Cost: a lookup where the condition does not speak of turns,
        else linear in the turns until it may hold.

        Args:
            memory: what is remembered before turn `now` is played.
            now: the next turn.
            window: the first and the last turn at which it counts.
            asked: whether with the record before each turn, as obligations are, or after it, as
                payments are.
        """
        first, last = window
        if not self._slots:
            return max(now, first) <= self._last_time(last)
        if not self._timed and first <= now:
            wait = self._wait(memory, asked)
            return wait is not None and now + wait <= last
        memories = {memory}
        for turn in range(now, last + 1):
            if asked == "before" and turn >= first and self._any(memories, turn):
                return True
            onward = self._union(memories)
            if onward is None:
                return True
            memories = onward
            if asked == "after" and turn >= first and self._any(memories, turn):
                return True
        return False

    def _wait(self, memory: Memory, asked: Asked) -> int | None:
        """How many turns it takes at least until it holds, whatever the turn; None if it never can.

        For a condition that does not speak of turns: the answer is the same at every turn.
        """
        key = memory, asked
        if key not in self._waits:
            self._waits[key] = self._shortest(memory, asked)
        return self._waits[key]

    def _shortest(self, memory: Memory, asked: Asked) -> int | None:
        memories, seen, turns = {memory}, {memory}, 0
        while memories:
            if asked == "before" and self._any(memories, 1):
                return turns
            onward = self._union(memories)
            if onward is None or (asked == "after" and self._any(onward, 1)):
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

    def _last_time(self, last: int) -> int:
        """The last turn up to `last` at which a condition on turns alone holds; 0 if at none."""
        if last not in self._last_times:
            turns = (turn for turn in range(last, 0, -1) if self.holds((), turn))
            self._last_times[last] = next(turns, 0)
        return self._last_times[last]

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

    def _slot(self, atom: Last | Count | Earned) -> tuple[_Slot, Any]:
        match atom:
            case Last(last=event):
                return _Latest(event.agent, frozenset(self._named[event.agent])), None
            case Count(count=event, at_least=least):
                return _Times(event.agent, event.action, least), 0
            case Earned(earned=agent):
                return _Sum(agent), 0

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


def _atoms(when: When) -> Iterator[Last | Count | Earned]:
    """The parts of a condition that look at what was done or earned."""
    match when:
        case Last() | Count() | Earned():
            yield when
        case All(all=parts) | AnyOf(any=parts):
            for part in parts:
                yield from _atoms(part)
        case Not(negated=part):
            yield from _atoms(part)


def _speaks_of_turns(when: When) -> bool:
    match when:
        case Turns() | Every():
            return True
        case All(all=parts) | AnyOf(any=parts):
            return any(_speaks_of_turns(part) for part in parts)
        case Not(negated=part):
            return _speaks_of_turns(part)
        case _:
            return False


def _named_actions(atoms: Sequence[Last | Count | Earned]) -> dict[str, set[str]]:
    named: dict[str, set[str]] = {}
    for atom in atoms:
        match atom:
            case Last(last=event) | Count(count=event):
                named.setdefault(event.agent, set()).add(event.action)
    return named


def _imagined(actions: dict[str, str], gains: dict[str, Fraction]) -> Turn:
    """A turn in which this was done and the sums grew by this; the pot makes up the rest."""
    rewards: dict[str, Any] = {a: gain for a, gain in gains.items() if a != EVERYONE}
    turn: dict[str, Any] = {"turn": 0, "actions": actions, "rewards": rewards}
    if EVERYONE in gains:
        turn["pot"] = gains[EVERYONE] - sum(rewards.values())
    return turn  # type: ignore[return-value] # sums are fractions here, as in the memory
