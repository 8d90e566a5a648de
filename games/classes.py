"""Characteristic functions by classes of equal agents: worth depends on the members per class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ByClass:
    """A characteristic function, or a summand of one, that depends on members per class only.

    Attributes:
        of: agent → its class, shape (n,); −1 for an agent that changes nothing.
        worths: W for each count of members per class, shape (m_1 + 1, …), whole, in 1/unit.
        unit: the number of these amounts in one of the game's unit.
    """

    of: NDArray[Any]
    worths: NDArray[Any]
    unit: int = 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of agents in each class."""
        return tuple(size - 1 for size in np.shape(self.worths))
