"""Settlement norms by name: functions from a characteristic function to each agent's value.

A norm maps a table of worths to one value per agent. The values need not sum to the amount to
divide; `normalise` makes them sum to this amount. The nucleolus, Deegan–Packel, and Shapley and
Banzhaf values of more than EXACT_AGENTS agents are computed in floats and rounded to 1e-9. All
other values are exact.
"""

from collections.abc import Callable
from fractions import Fraction

from shapley_coop.amounts import exact, normalise
from shapley_coop.credit.coalitions import Floats, Table, agents_in
from shapley_coop.credit.values.deegan_packel import deegan_packel
from shapley_coop.credit.values.nucleolus import nucleolus, prenucleolus
from shapley_coop.credit.values.semivalues import (
    Weights,
    banzhaf_weights,
    semivalue,
    semivalue_exact,
    shapley_weights,
)
from shapley_coop.credit.values.shapley import marginal_contributions

Norm = Callable[[Table], list[Fraction]]
"""A function from 2**n worths to n values, in the unit of the worths."""

EXACT_AGENTS = 16
"""The largest number of agents with exact semivalues (at most 0.5 s); for more, floats are used."""


def norm(name: str) -> Norm:
    """Return the norm of that name.

    Raises:
        ValueError: the name is not in NORMS.
    """
    if name not in NORMS:
        raise ValueError(f"{name!r} is not a norm: choose from {', '.join(sorted(NORMS))}")
    return NORMS[name]


def surplus(table: Table) -> Fraction:
    """Return the exact amount to divide, v(N) − v(∅), in the unit of the worths."""
    agents_in(table)
    return exact(table[-1], "v(N)") - exact(table[0], "v(∅)")


def _shapley(table: Table) -> list[Fraction]:
    """Return each agent's mean marginal contribution over all orders of arrival."""
    return _semivalue(table, shapley_weights(agents_in(table)))


def _banzhaf(table: Table) -> list[Fraction]:
    """Return each agent's mean marginal contribution over all coalitions; not efficient."""
    return _semivalue(table, banzhaf_weights(agents_in(table)))


def _banzhaf_normalised(table: Table) -> list[Fraction]:
    """Return Banzhaf values scaled by `normalise` to sum to v(N) − v(∅)."""
    return normalise(surplus(table), _banzhaf(table))


def _leave_one_out(table: Table) -> list[Fraction]:
    """Return each agent's v(N) − v(N∖{i}): Eq. 9 of Shapley-Coop as printed."""
    worths = [exact(worth, "a worth") for worth in table]
    return marginal_contributions(worths)


def _equal(table: Table) -> list[Fraction]:
    """Return equal parts of v(N) − v(∅)."""
    return [surplus(table) / agents_in(table)] * agents_in(table)


def _proportional(table: Table) -> list[Fraction]:
    """Return stand-alone worths scaled by `normalise` to sum to v(N) − v(∅)."""
    nothing = exact(table[0], "v(∅)")
    alone = [exact(table[1 << i], "a worth") - nothing for i in range(agents_in(table))]
    return normalise(surplus(table), alone)


def _nucleolus(table: Table) -> list[Fraction]:
    """Return the nucleolus, or the prenucleolus if stand-alone worths exceed the total."""
    alone = (exact(table[1 << i]) - exact(table[0]) for i in range(agents_in(table)))
    rational = sum(alone, Fraction(0)) <= surplus(table)
    return _round(nucleolus(table) if rational else prenucleolus(table))


def _deegan_packel(table: Table) -> list[Fraction]:
    """Return a simple game's Deegan–Packel index: equal parts in minimal winning coalitions."""
    return _round(deegan_packel(table))


def _semivalue(table: Table, weights: Weights) -> list[Fraction]:
    if agents_in(table) <= EXACT_AGENTS:
        return semivalue_exact(table, weights)
    return _round(semivalue(table, weights))


def _round(values: Floats) -> list[Fraction]:
    return [Fraction(round(float(value) * 10**9), 10**9) for value in values]


NORMS: dict[str, Norm] = {
    "shapley": _shapley,
    "banzhaf": _banzhaf,
    "banzhaf_normalised": _banzhaf_normalised,
    "leave_one_out": _leave_one_out,
    "deegan_packel": _deegan_packel,
    "nucleolus": _nucleolus,
    "equal": _equal,
    "proportional": _proportional,
}
"""All norms by name. The docstring of each function defines its norm in one line."""
