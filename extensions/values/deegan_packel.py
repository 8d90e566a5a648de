"""The Deegan–Packel index of power in simple games."""

from fractions import Fraction

import numpy as np

from shapley_coop.credit.coalitions import Floats, Table, agents_in, rounded
from shapley_coop.credit.values.semivalues import marginals


def by_deegan_packel(table: Table) -> list[Fraction]:
    """Return a simple game's Deegan–Packel index: equal parts in minimal winning coalitions."""
    return rounded(deegan_packel(table))


def deegan_packel(table: Table) -> Floats:
    """Return the Deegan–Packel index of a simple game (Deegan & Packel 1978).

    All minimal winning coalitions are equally likely, and each divides 1 equally among its members.

    Args:
        table: 2**n worths, each 0 or 1, monotone, v(∅) = 0 and v(N) = 1.

    Returns:
        The agents' indices, which sum to 1. Cost: O(n 2**n).

    Raises:
        ValueError: the game is not simple.
    """
    n = agents_in(table)
    worths = np.asarray(table, dtype=np.float64)
    if not np.isin(worths, (0.0, 1.0)).all() or worths[0] != 0 or worths[-1] != 1:
        raise ValueError("Deegan–Packel needs a simple game: worths 0 or 1, v(∅) = 0, v(N) = 1")
    if any(marginals(worths, i).min() < 0 for i in range(n)):
        raise ValueError(
            "Deegan–Packel needs a monotone game; here an agent turns a win into a loss"
        )
    masks = np.arange(len(worths))
    minimal = worths == 1
    for i in range(n):
        minimal &= (masks >> i & 1 == 0) | (worths[masks & ~(1 << i)] == 0)
    winners = masks[minimal]
    portions = 1 / np.bitwise_count(winners) / len(winners)
    return np.array([portions[winners >> i & 1 == 1].sum() for i in range(n)])
