"""The Shapley value, exact: from the table of worths, or by class counts."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod

import numpy as np

from shapley_coop.amounts import Number, OneNumber
from shapley_coop.credit.coalitions import Floats, Table, agents_in
from shapley_coop.credit.values.semivalues import semivalue, semivalue_exact, shapley_weights

MAX_COUNTS = 1 << 22
"""The most count vectors `shapley_by_class` tabulates."""


def shapley(table: Table) -> Floats:
    """The Shapley value of every agent, in floats.

    φᵢ = Σ over C ⊆ N∖{i} of |C|! (n − |C| − 1)! / n! · (v(C ∪ {i}) − v(C))

    Shapley (1953); Eq. 3 of Shapley-Coop. (Its Eq. 9 prints Δᵢ(N) for Δᵢ(C): `leave_one_out`.)
    The values sum to v(N) − v(∅).

    Args:
        table: 2**n worths indexed by mask, n ≤ 20.

    Returns:
        Shape (n,), in the unit of the worths. Cost: O(n 2**n), well under 0.2 s at n = 20.

    Raises:
        ValueError: the table's length is not a power of two.
    """
    return semivalue(table, shapley_weights(agents_in(table)))


def shapley_exact(table: Table) -> list[Fraction]:
    """The Shapley value as fractions that sum to v(N) − v(∅) exactly: for settlement.

    Args:
        table: 2**n integers, fractions, or floats taken as the decimals they print.

    Returns:
        n fractions, in the unit of the worths. Cost: about 10 ms at n = 12, doubling per agent.

    Raises:
        ValueError: the table's length is not a power of two, or a worth is not finite.
    """
    return semivalue_exact(table, shapley_weights(agents_in(table)))


def marginal_contributions(table: Sequence[OneNumber]) -> list[OneNumber]:
    """Every agent's marginal contribution to the rest: Δᵢ(N∖{i}) = v(N) − v(N∖{i}).

    Step 2 of long-term Shapley reasoning (Eq. 8 of Shapley-Coop), in the table's own numbers.
    """
    everyone = len(table) - 1
    return [table[everyone] - table[everyone ^ 1 << i] for i in range(agents_in(table))]


def shapley_by_class(
    class_sizes: Sequence[int], worth_of_counts: Callable[[tuple[int, ...]], Number]
) -> Floats:
    """The Shapley value when agents of a class are interchangeable: exact, and fast for many.

    The worth of a coalition then depends only on how many of each class it holds, and a member of
    class c meets k others with the probability that a random order puts exactly those before it:

        φ_c = Σ over k of Π_d C(m_d − [d = c], k_d) / (n · C(n − 1, |k|)) · (v(k + e_c) − v(k))

    Args:
        class_sizes: m_c ≥ 1, the number of agents of each class.
        worth_of_counts: the worth of a coalition with (k_1, k_2, …) members of each class. It is
            asked once for each of the Π (m_c + 1) count vectors: 456,976 for four classes of 25.

    Returns:
        One value per class, that of a single member: Σ m_c φ_c = v(N) − v(∅).

    Raises:
        ValueError: no class, a size below 1, or more than MAX_COUNTS count vectors.
    """
    shape = tuple(size + 1 for size in class_sizes)
    if not shape or min(shape) < 2:
        raise ValueError(f"class sizes {list(class_sizes)}: one or more sizes of at least 1")
    if prod(shape) > MAX_COUNTS:
        raise ValueError(f"{prod(shape)} count vectors: at most {MAX_COUNTS}, else sample_shapley")
    worths = np.fromiter(
        (float(worth_of_counts(counts)) for counts in np.ndindex(*shape)), np.float64, prod(shape)
    ).reshape(shape)
    return np.array([_value_of_class(worths, c) for c in range(len(shape))])


def _value_of_class(worths: Floats, c: int) -> float:
    others = np.array(worths.shape) - 1
    others[c] -= 1
    n = int(others.sum()) + 1
    counts = np.indices(tuple(others + 1))
    log_chances = -np.log(n) - _log_choose(n - 1, counts.sum(axis=0))
    for other, count in zip(others, counts, strict=True):
        log_chances += _log_choose(other, count)
    return float(np.sum(np.exp(log_chances) * np.diff(worths, axis=c)))


def _log_choose(n: int, k: np.ndarray) -> Floats:
    from scipy.special import gammaln

    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1), dtype=np.float64)
