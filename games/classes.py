"""Games whose agents come in classes of equals: worths by how many of each a coalition holds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ByClass:
    """A part of a characteristic function.

    Attributes:
        of: agent → its class, shape (n,); −1 of an agent that changes nothing.
        worths: W of every number of members, shape (m_1 + 1, m_2 + 1, …), whole, in 1/unit.
        unit: how many of these amounts make one of the game's unit.
    """

    of: NDArray[Any]
    worths: NDArray[Any]
    unit: int = 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many agents each class has."""
        return tuple(size - 1 for size in np.shape(self.worths))
