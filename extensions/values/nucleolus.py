"""The nucleolus: the division with the lexicographically smallest complaints of coalitions.

All worths are taken relative to v(∅): the amount to divide is v(N) − v(∅), and the worth of a
coalition S is v(S) − v(∅). x(S) is the sum of the payoffs x of the members of S.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import exact
from shapley_coop.credit.coalitions import Floats, Table, agents_in, rounded
from shapley_coop.extensions.values.generation import Program, generate

AT_ONCE = 20
"""The number of coalitions with the smallest surplus that are added at once."""

OUTSIDE = 1e-9
"""A coalition's payoff is not fixed if the direction is larger for it than this rounding error."""


def by_nucleolus(table: Table) -> list[Fraction]:
    """Return the nucleolus, or the prenucleolus if stand-alone worths exceed the total."""
    nothing, everything = exact(table[0], "v(∅)"), exact(table[-1], "v(N)")
    alone = (exact(table[1 << i]) - nothing for i in range(agents_in(table)))
    rational = sum(alone, Fraction(0)) <= everything - nothing
    return rounded(nucleolus(table) if rational else prenucleolus(table))


def nucleolus(table: Table) -> Floats:
    """Return the imputation with the lexicographically smallest complaints (Schmeidler 1969).

    Args:
        table: 2**n worths.

    Returns:
        Payoffs that sum to v(N) − v(∅), accurate to about 1e-9 of the largest worth.

    Raises:
        ValueError: the stand-alone worths sum to more than v(N), so that no imputation exists
            (`prenucleolus` needs none).
    """
    worths = _above_nothing(table)
    alone = worths[1 << np.arange(agents_in(table))]
    if alone.sum() > worths[-1] + 1e-9 * np.abs(worths).max():
        raise ValueError(
            f"there is no nucleolus: the agents' worths alone sum to {alone.sum():g}, more than "
            f"v(N) = {worths[-1]:g}; choose prenucleolus, which ignores worths alone"
        )
    return _of_table(worths, alone)


def prenucleolus(table: Table) -> Floats:
    """Return the nucleolus over all divisions, individually rational or not."""
    return _of_table(_above_nothing(table), np.full(agents_in(table), -np.inf))


def _above_nothing(table: Table) -> Floats:
    worths = np.asarray(table, dtype=np.float64)
    return np.asarray(worths - worths[0])


def _of_table(worths: Floats, least: Floats) -> Floats:
    """Return the nucleolus of a table of worths; its oracle looks at all coalitions."""
    n, scale = len(least), np.abs(worths).max() or 1.0
    worths, singles = worths / scale, 1 << np.arange(n)

    def worst(payoffs: Floats, direction: Floats) -> tuple[Floats, Floats]:
        surplus = _sums(payoffs) - worths
        surplus[np.abs(_sums(direction)) < OUTSIDE] = np.inf
        most = min(AT_ONCE, len(surplus) - 1)
        masks = surplus.argpartition(most)[:most]
        masks = masks[np.isfinite(surplus[masks])]
        return _members(masks, n), worths[masks]

    alone, everyone = _members(singles, n), np.ones((1, n))
    first = Program(alone, worths[singles], everyone, worths[-1:], least / scale)
    return generate(first, worst) * scale


def _sums(amounts: Floats) -> Floats:
    """Return the sum of the members' amounts of each of the 2**n coalitions."""
    sums = np.zeros(1)
    for amount in amounts:
        sums = np.concatenate([sums, sums + amount])
    return sums


def _members(masks: NDArray[np.int64], n: int) -> Floats:
    """Return a row for each coalition: 1 for each member, else 0."""
    return (np.asarray(masks)[:, None] >> np.arange(n) & 1).astype(np.float64)
