"""Compiled conditions, evaluated turn by turn.

Each part of a condition that depends on the history has one value, updated at every turn: whether
the latest action is the named one, how often the action was taken, or the rewards so far. Histories
with equal values have equal futures, so they can be merged (`deals.analysis.game_tree`). `holds` in
`tests/deals/brute_force.py` is the reference definition, over whole records.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Literal

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
)
from shapley_coop.games import Number, Turn

Memory = tuple[Any, ...]
"""A condition's state: one hashable value for each part that depends on the history."""

Asked = Literal["before", "after"]
"""When a condition is evaluated: before a turn (for a duty) or after the turn (for a payment)."""

Holds = Callable[[Memory, int], bool]


class Condition:
    """A compiled condition that is evaluated turn by turn.

    Args:
        when: the condition.
        asked: when the condition is tested: "before" each turn, or "after" it, with its actions.
    """

    def __init__(self, when: When, asked: Asked = "before") -> None:
        self._asked = asked
        parts = [x for x in conditions_in(when) if isinstance(x, Last | Count | Earned)]
        self._parts = list(dict.fromkeys(parts))
        self.start: Memory = tuple([False if isinstance(x, Last) else 0 for x in self._parts])
        self.holds: Holds = self._compiled(when)
        self._latest = cache(self._last_turn)

    def after(self, memory: Memory, turn: Turn) -> Memory:
        """Return the condition's memory after a turn, given its memory before the turn."""
        known = zip(self._parts, memory, strict=True)
        return tuple([self._updated(part, value, turn) for part, value in known])

    def may_hold(self, first: int, last: int) -> bool:
        """Return whether the condition may hold at a turn from `first` to `last`.

        A condition on the history counts as possible at every turn, because ruling out a turn
        would need an enumeration of the game.
        """
        return first <= (last if self._parts else self._latest(last))

    def _last_turn(self, last: int) -> int:
        """Return the last turn up to `last` at which a condition on turns holds, or 0 if none."""
        return next((turn for turn in range(last, 0, -1) if self.holds((), turn)), 0)

    def _updated(self, part: Last | Count | Earned, value: Any, turn: Turn) -> Any:
        match part:
            case Last(last=event):
                action = turn["actions"].get(event.agent)
                if action is None and self._asked == "before":
                    return value
                return action == event.action
            case Count(count=event, at_least=least):
                return min(least, value + (turn["actions"].get(event.agent) == event.action))
            case Earned(earned=agent):
                return value + _reward(agent, turn)

    def _compiled(self, when: When) -> Holds:
        match when:
            case Turns(turns=(first, last)):
                return lambda _, turn: first <= turn <= last
            case Every(every=step, start=start):
                return lambda _, turn: turn >= start and (turn - start) % step == 0
            case Last():
                at = self._parts.index(when)
                return lambda memory, _: bool(memory[at])
            case Count(at_least=least) | Earned(at_least=least):
                at = self._parts.index(when)
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
    """Return the compiled condition, cached because contracts and offers repeat conditions."""
    return Condition(when, asked)


def _reward(agent: str, turn: Turn) -> int | Fraction:
    """Return an agent's reward in a turn; for "everyone", the sum of all rewards and the pot."""
    if agent != EVERYONE:
        return _exact(turn["rewards"].get(agent, 0))
    return sum(map(_exact, (*turn["rewards"].values(), turn.get("pot", 0))))


def _exact(amount: Number | Fraction) -> int | Fraction:
    """Return a float as the exact decimal that JSON shows; other numbers are returned unchanged."""
    return Fraction(str(amount)) if isinstance(amount, float) else amount
