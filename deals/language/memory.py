"""What a condition remembers of a history: a few values, updated turn by turn."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from shapley_coop.deals.language.when import EVERYONE
from shapley_coop.games import Number, Turn

Memory = tuple[Any, ...]
"""What a condition's future depends on: hashable, one value per slot."""


def exact_number(amount: Number | Fraction) -> int | Fraction:
    """A JSON number as the decimal it is written as; whole numbers stay as they are."""
    return Fraction(str(amount)) if isinstance(amount, float) else amount


class Slot(Protocol):
    """One value to remember."""

    def after(self, value: Any, turn: Turn) -> Any:
        """The value after one more turn."""


@dataclass(frozen=True)
class Latest:
    """An agent's latest action, among those that matter; None for any other, or for none yet."""

    agent: str
    named: frozenset[str]

    def after(self, value: Any, turn: Turn) -> Any:
        """Its action of this turn; without one, the value before."""
        action = turn["actions"].get(self.agent)
        if action is None:
            return value
        return action if action in self.named else None


@dataclass(frozen=True)
class Now:
    """What an agent did in the turn just played, if that matters; None for anything else."""

    agent: str
    named: frozenset[str]

    def after(self, value: Any, turn: Turn) -> Any:
        """Its action of this turn, if any."""
        action = turn["actions"].get(self.agent)
        return action if action in self.named else None


@dataclass(frozen=True)
class Times:
    """How often an agent has done something, counted up to `enough`."""

    agent: str
    action: str
    enough: int

    def after(self, value: Any, turn: Turn) -> Any:
        """One more, if it did so in this turn."""
        done = turn["actions"].get(self.agent) == self.action
        return min(self.enough, value + done)


@dataclass(frozen=True)
class Sum:
    """What an agent has earned, or everyone with the pot."""

    agent: str

    def after(self, value: Any, turn: Turn) -> Any:
        """The sum with this turn's rewards."""
        if self.agent != EVERYONE:
            return value + exact_number(turn["rewards"].get(self.agent, 0))
        amounts = (*turn["rewards"].values(), turn.get("pot", 0))
        return value + sum(exact_number(x) for x in amounts)
