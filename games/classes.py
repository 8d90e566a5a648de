"""Characteristic functions that depend only on how many members each class of agents has."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ByClass:
    """A function of coalitions that depends only on the number of members in each class.

    Attributes:
        of: the class of each agent; −1 for an agent that never changes the worth.
        worths: integers (worths times `unit`), indexed by the number of members of each class.
        unit: the divisor that turns these integers into the game's unit.
    """

    of: NDArray[Any]
    worths: NDArray[Any]
    unit: int = 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of agents in each class."""
        return tuple(size - 1 for size in np.shape(self.worths))
