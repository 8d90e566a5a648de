"""The exact Shapley value from the table of worths; `classes` computes it from class counts."""

from collections.abc import Sequence
from fractions import Fraction

from shapley_coop.amounts import OneNumber
from shapley_coop.credit.coalitions import Floats, Table, agents_in
from shapley_coop.credit.values.semivalues import semivalue, semivalue_exact, shapley_weights


def shapley(table: Table) -> Floats:
    """Return the Shapley value of every agent, in floats.

    φᵢ = Σ over C ⊆ N∖{i} of |C|! (n − |C| − 1)! / n! · (v(C ∪ {i}) − v(C))

    Shapley (1953); Eq. 3 of Shapley-Coop. (Eq. 9 there prints Δᵢ(N): the norm `leave_one_out`.)
    The values sum to v(N) − v(∅).

    Args:
        table: 2**n worths indexed by mask, n ≤ 20.

    Returns:
        The agents' values, in the unit of the worths. Cost: O(n 2**n), under 0.2 s at n = 20.

    Raises:
        ValueError: the table's length is not a power of two.
    """
    return semivalue(table, shapley_weights(agents_in(table)))


def shapley_exact(table: Table) -> list[Fraction]:
    """Return the Shapley value as fractions that sum exactly to v(N) − v(∅), for settlement.

    Args:
        table: 2**n integers, fractions, or floats (each taken as the decimal that it prints).

    Returns:
        n fractions, in the unit of the worths. Cost: about 10 ms at n = 12, doubling per agent.

    Raises:
        ValueError: the table's length is not a power of two, or a worth is not finite.
    """
    return semivalue_exact(table, shapley_weights(agents_in(table)))


def marginal_contributions(table: Sequence[OneNumber]) -> list[OneNumber]:
    """Return every agent's marginal contribution to the others: Δᵢ(N∖{i}) = v(N) − v(N∖{i}).

    This is step 2 of long-term Shapley reasoning (Eq. 8 of Shapley-Coop).
    """
    everyone = len(table) - 1
    return [table[everyone] - table[everyone ^ 1 << i] for i in range(agents_in(table))]
