"""Other ways to divide: Banzhaf, leave-one-out, Deegan–Packel, equal and proportional."""

import numpy as np

from shapley_coop.credit.coalitions import Floats, Table, agents_in
from shapley_coop.credit.values.semivalues import banzhaf_weights, marginals, semivalue
from shapley_coop.credit.values.shapley import marginal_contributions


def banzhaf(table: Table, normalised: bool = False) -> Floats:
    """The Banzhaf value: the mean marginal contribution over all coalitions of the others.

    βᵢ = 2^(1−n) Σ over C ⊆ N∖{i} of (v(C ∪ {i}) − v(C))        (Banzhaf 1965; Owen 1975)

    Args:
        table: 2**n worths.
        normalised: scale the values to sum to v(N) − v(∅), which the raw ones do not.

    Returns:
        Shape (n,), in the unit of the worths. Cost: O(n 2**n).

    Raises:
        ValueError: normalised values are asked for and the raw ones sum to 0.
    """
    values = semivalue(table, banzhaf_weights(agents_in(table)))
    if not normalised:
        return values
    total = values.sum()
    if abs(total) <= 1e-12 * np.abs(values).max(initial=0):
        raise ValueError("the Banzhaf values sum to 0: they have no normalised form")
    return np.asarray(values * (_surplus(table) / total))


def leave_one_out(table: Table) -> Floats:
    """What would be missing without each agent: v(N) − v(N∖{i}), shape (n,).

    This is Eq. 9 of Shapley-Coop as printed, where Δᵢ(N) stands in place of Δᵢ(C) and the weights
    sum to 1. It breaks efficiency: in the Escape Room it gives 10 + 10 where there are 9 to divide.
    """
    return np.array(marginal_contributions([float(worth) for worth in table]))


def deegan_packel(table: Table) -> Floats:
    """The Deegan–Packel index of a simple game (Deegan & Packel 1978).

    Every minimal winning coalition is equally likely and divides 1 equally among its members.

    Args:
        table: 2**n worths, each 0 or 1, monotone, v(∅) = 0 and v(N) = 1.

    Returns:
        Shape (n,), summing to 1. Cost: O(n 2**n).

    Raises:
        ValueError: the game is not simple.
    """
    n = agents_in(table)
    worths = np.asarray(table, dtype=np.float64)
    if not np.isin(worths, (0.0, 1.0)).all() or worths[0] != 0 or worths[-1] != 1:
        raise ValueError(
            "Deegan–Packel needs a simple game: every worth 0 or 1, nobody worth 0, everybody 1"
        )
    if any(marginals(worths, i).min() < 0 for i in range(n)):
        raise ValueError("Deegan–Packel needs a monotone game: here an agent turns a win to a loss")
    masks = np.arange(len(worths))
    minimal = worths == 1
    for i in range(n):
        minimal &= (masks >> i & 1 == 0) | (worths[masks & ~(1 << i)] == 0)
    winners = masks[minimal]
    portions = 1 / np.bitwise_count(winners) / len(winners)
    return np.array([portions[winners >> i & 1 == 1].sum() for i in range(n)])


def equal(table: Table) -> Floats:
    """The same for all: (v(N) − v(∅)) / n each, shape (n,)."""
    n = agents_in(table)
    return np.full(n, _surplus(table) / n)


def stand_alone(table: Table) -> Floats:
    """What each agent is worth on its own: v({i}) − v(∅), shape (n,)."""
    return np.array([float(table[1 << i]) - float(table[0]) for i in range(agents_in(table))])


def proportional(table: Table) -> Floats:
    """v(N) − v(∅) in proportion to what each is worth on its own, shape (n,).

    Raises:
        ValueError: a stand-alone worth is negative, or all are 0.
    """
    alone = stand_alone(table)
    if alone.min() < 0 or alone.sum() <= 0:
        raise ValueError(
            "a proportional split needs stand-alone worths of 0 or more, and one above 0: "
            f"here they are {', '.join(f'{worth:g}' for worth in alone)}"
        )
    return np.asarray(alone * (_surplus(table) / alone.sum()))


def _surplus(table: Table) -> float:
    return float(table[-1]) - float(table[0])
