"""Characteristic functions that depend only on how many members each class of agents has."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ByClass:
    """A function of coalitions that depends only on the number of members in each class.

    Attributes:
        of: the class number of each agent; −1 for an agent that never changes the worth.
        worths: integers (worths times `unit`), indexed by the number of members of each class.
        unit: the divisor that turns these integers into the game's unit.
    """

    of: NDArray[Any]
    worths: NDArray[Any]
    unit: int = 1

    @property
    def gain(self) -> Fraction:
        """The worth of all agents less that of none, in the game's unit."""
        flat = self.worths.reshape(-1)
        return Fraction(int(flat[-1]) - int(flat[0]), self.unit)
