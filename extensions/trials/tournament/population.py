"""Replicator dynamics on a table of what each seat earns against each other seat.

Seats meet in proportion to their shares of a population, and seats that earn more than the mean
grow (Taylor and Jonker, Mathematical Biosciences 40, 1978, in discrete generations). This separates
seats that only exploit weak seats from seats that do well against strong ones. All shares start
equal. Each game has the same weight: its payoffs are scaled to the range 0 to 1.

>>> hawk_dove = np.array([[0.0, 3.0], [1.0, 2.0]])
>>> shares(hawk_dove[None, None, :, :, None]).round(2).tolist()
[0.5, 0.5]
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

GENERATIONS = 1_000


def shares(payoffs: Floats) -> Floats:
    """Return each seat's share of the population after `GENERATIONS`.

    Args:
        payoffs: an array (games, roles, seats, opponents, seeds), in each game's own unit.

    Returns:
        One share for each seat; they sum to 1. A seat's fitness is 1 plus its mean scaled payoff
        against the current population. A game whose payoffs are all equal changes no share.
    """
    low = payoffs.min(axis=(1, 2, 3, 4), keepdims=True)
    span = payoffs.max(axis=(1, 2, 3, 4), keepdims=True) - low
    scaled = (payoffs - low) / np.where(span > 0, span, 1.0)
    fitness = 1 + scaled.mean(axis=(0, 1, 4))
    found = np.full(len(fitness), 1 / len(fitness))
    for _ in range(GENERATIONS):
        grown = found * (fitness @ found)
        found = grown / grown.sum()
    return found
