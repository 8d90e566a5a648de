"""Additive utilities, one value per task, for any number of tasks and agents.

>>> import numpy as np
>>> taste = additive([50, 0, 150])
>>> taste[0b101], taste[0b010]
(1000000, 0)
>>> best_total([taste, additive([0, 30, 10])])
1750000
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import MICRO
from shapley_coop.extensions.exchange.domain.masks import Micros, members
from shapley_coop.extras import require_extra


@dataclass(frozen=True, eq=False)
class Additive:
    """A utility of sets that is the sum of the tasks' values, without a table of 2ⁿ entries.

    Attributes:
        values: each atom's value, in the order of the atoms, in millionths of their sum.
    """

    values: Micros

    def __getitem__(self, mask: int) -> int:
        """Return the utility of a set, in millionths. Cost: linear in the number of atoms."""
        return int(self.values[members(mask, len(self.values))].sum())

    def table(self) -> Micros:
        """Return the utilities of all 2ⁿ sets, indexed by mask."""
        found = np.zeros(1, dtype=np.int64)
        for value in self.values[::-1]:
            found = np.concatenate([found, found + value])
        return found


Utilities = Micros | Additive
"""Utilities indexed by mask, in millionths: a table of 2ⁿ entries, or sums of tasks' values."""


def additive(scores: Sequence[float] | NDArray[np.float64]) -> Additive:
    """Return additive utilities from one score ≥ 0 per task, scaled so that all tasks sum to 1.

    Raises:
        LibraryMissing: the library that finds the best total of such utilities is not installed.
    """
    _matching_solver()  # so that a missing library stops the run before play, not at its end
    raw = np.asarray(scores, dtype=np.float64)
    whole = raw.sum()
    parts = raw / whole if whole else raw
    return Additive(np.rint(parts * MICRO).astype(np.int64))


def best_total(utilities: Sequence[Additive]) -> int:
    """Return the highest sum of utilities over all partitions in which each agent has a task.

    Each task goes to the agent that values it most. Then a matching moves tasks so that every agent
    has one, with the least loss of total utility. Cost: O(n²m) for n agents and m tasks.
    """
    values = np.stack([own.values for own in utilities])
    most = values.max(axis=0)
    lost = most - values
    return int(most.sum() - lost[_matching_solver()(lost)].sum())


def _matching_solver() -> Any:
    with require_extra("exchange", "the best total of many tasks"):
        from scipy.optimize import linear_sum_assignment

    return linear_sum_assignment
