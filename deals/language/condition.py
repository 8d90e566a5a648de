"""Whether a condition holds, by its definition, turn by turn.

A part that speaks of the history keeps one value, which each turn updates: whether the latest
action is the one it names, how often that was done, what was earned. Equal values leave an equal
rest, so histories after which they are equal can be merged (`deals.analysis.game_tree`). The same
definition over whole records is `holds` in `tests/deals/brute_force.py`.
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
"""What a condition's future depends on: hashable, one value for each part on the history."""

Asked = Literal["before", "after"]
"""Whether a condition is read before a turn, as a duty's is, or after it, as a payment's is."""

Holds = Callable[[Memory, int], bool]


class Condition:
    """A condition, to be asked turn after turn.

    Args:
        when: the condition.
        asked: whether with the record before each turn, or with the turn itself.
    """

    def __init__(self, when: When, asked: Asked = "before") -> None:
        self._asked = asked
        parts = [x for x in conditions_in(when) if isinstance(x, Last | Count | Earned)]
        self._parts = list(dict.fromkeys(parts))
        self.start: Memory = tuple([False if isinstance(x, Last) else 0 for x in self._parts])
        self.holds: Holds = self._compiled(when)
        self._latest = cache(self._last_turn)

    def after(self, memory: Memory, turn: Turn) -> Memory:
        """Return what is remembered after a turn."""
        known = zip(self._parts, memory, strict=True)
        return tuple([self._updated(part, value, turn) for part, value in known])

    def may_hold(self, first: int, last: int) -> bool:
        """Return whether it may hold at a turn from the first to the last.

        A condition on the history may hold at any turn: to rule that out, every course of the game
        would have to be enumerated.
        """
        return first <= (last if self._parts else self._latest(last))

    def _last_turn(self, last: int) -> int:
        """Return the last turn up to `last` at which a condition on turns holds; 0 if at none."""
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
    """Return a condition, made once: contracts, amendments and offers repeat them."""
    return Condition(when, asked)


def _reward(agent: str, turn: Turn) -> int | Fraction:
    """Return what an agent earned in a turn, or everyone with the pot."""
    if agent != EVERYONE:
        return _exact(turn["rewards"].get(agent, 0))
    return sum(map(_exact, (*turn["rewards"].values(), turn.get("pot", 0))))


def _exact(amount: Number | Fraction) -> int | Fraction:
    """Return a JSON number as the decimal it is written as; whole numbers stay as they are."""
    return Fraction(str(amount)) if isinstance(amount, float) else amount
