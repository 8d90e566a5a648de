"""Exact values by class counts, for games whose agents form classes of symmetric members.

The worth of a coalition depends only on its number of members of each class. So Π (m_c + 1) counts
replace the 2ⁿ coalitions, where m_c is the size of class c.

>>> import numpy as np
>>> gloves = np.array([[min(left, right) for right in range(3)] for left in range(2)], dtype=object)
>>> of = np.array([0, 1, 1])  # one left glove, two right ones
>>> [str(x) for x in sum_games([ByClass(of, gloves)], shapley_by_class, 3)]
['2/3', '1/6', '1/6']
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.by_class import ByClass
from shapley_coop.credit.characteristic import Attribution, Characteristic
from shapley_coop.credit.norms import by_few_worths

METHOD = "exact (by class counts)"

OfMember = Callable[[NDArray[Any], int], Fraction]
"""A function of (worths, class) to the value of one member, in the unit of the worths."""


def semivalue_by_classes(of: Characteristic, by: str, value: OfMember) -> Attribution:
    """Return semivalues of a sum of games with symmetric classes, computed from class counts.

    Args:
        of: a characteristic function with known `classes`.
        by: the norm's name.
        value: a function that returns the semivalue of one member of a class.
    """
    classes, n = of.classes or (), len(of.agents)
    return of.attribution(by, METHOD, *_ends(classes, n), sum_games(classes, value, n))


def few_by_classes(of: Characteristic, by: str) -> Attribution:
    """Return the values under a norm that needs few worths, computed from class counts."""
    classes, n = of.classes or (), len(of.agents)
    total, marginal = _ends(classes, n)
    stand_alone = partial(sum_games, classes, stand_alone_by_class, n)
    values = by_few_worths(by, total, marginal, stand_alone)
    return of.attribution(by, METHOD, total, marginal, values)


def _ends(classes: Sequence[ByClass], n: int) -> tuple[Fraction, list[Fraction]]:
    """Return v(N) − v(∅), and each agent's v(N) − v(N∖{i})."""
    total = sum((one.gain for one in classes), Fraction(0))
    return total, sum_games(classes, leave_one_out_by_class, n)


def sum_games(games: Sequence[ByClass], value: OfMember, n: int) -> list[Fraction]:
    """Return every agent's value in a sum of games, in v's unit; `value` must be additive."""
    values = [Fraction(0)] * n
    for game in games:
        classes = [value(game.worths, c) / game.unit for c in range(np.ndim(game.worths))]
        for agent, c in enumerate(game.of):
            if c >= 0:
                values[agent] += classes[c]
    return values


def shapley_by_class(worths: NDArray[Any], c: int) -> Fraction:
    """Return the exact Shapley value of a member of class c.

    The sum is over the class counts k of the agents before the member in a random order:

        φ_c = Σ over k of Π_d C(m_d − [d = c], k_d) / (n · C(n − 1, |k|)) · (v(k + e_c) − v(k))

    Cost: about 1 μs for each vector of counts, and more if the integers have hundreds of digits.
    """
    if np.ndim(worths) == 1:  # one class: by symmetry all members have equal values
        return Fraction(int(worths[-1]) - int(worths[0]), len(worths) - 1)
    by_size = gains_by_size(worths, c)
    n = len(by_size)
    return sum(
        (Fraction(gain, n * comb(n - 1, size)) for size, gain in enumerate(by_size)), Fraction(0)
    )


def leave_one_out_by_class(worths: NDArray[Any], c: int) -> Fraction:
    """Return v(N) − v(N∖{i}) of a member i of class c, in the unit of the worths."""
    full = [size - 1 for size in np.shape(worths)]
    less = [size - (k == c) for k, size in enumerate(full)]
    return Fraction(int(worths[tuple(full)]) - int(worths[tuple(less)]))


def stand_alone_by_class(worths: NDArray[Any], c: int) -> Fraction:
    """Return v({i}) − v(∅) of a member i of class c, in the unit of the worths."""
    one = tuple(int(k == c) for k in range(np.ndim(worths)))
    return Fraction(int(worths[one]) - int(worths[(0,) * np.ndim(worths)]))


def gains_by_size(worths: NDArray[Any], c: int) -> list[int]:
    """Return a class-c member's marginal contributions, summed by size of the coalition joined."""
    gains = np.diff(worths.astype(object), axis=c)
    others = [size - 1 for size in np.shape(gains)]
    ways = np.array(1, dtype=object)
    for size in others:
        ways = np.multiply.outer(ways, np.array([comb(size, k) for k in range(size + 1)], object))
    sizes = np.indices(np.shape(gains)).sum(axis=0).reshape(-1)
    found = [0] * (sum(others) + 1)
    for size, gain in zip(sizes.tolist(), (gains * ways).reshape(-1).tolist(), strict=True):
        found[size] += gain
    return found
