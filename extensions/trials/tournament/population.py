"""What a population of the entered seats comes to: replicator dynamics over the cross-play.

Everybody meets everybody in proportion to shares, and what earns more than the mean grows (Taylor
and Jonker, Mathematical Biosciences 40, 1978, in discrete generations). So a seat that lives on
those it exploits is told apart from one that does well against what does well. It starts from
equal shares; each game counts alike, its payoffs scaled to its own span.

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
        payoffs: of shape (games, roles, seats, opponents, seeds), in each game's own unit.

    Returns:
        Shape (seats,), summing to 1. Fitness is 1 and the mean scaled payoff against the others
        as they are then; a game whose payoffs are all the same moves nothing.
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
