"""Settlement norms by name: functions from a characteristic function to each agent's value.

A norm is imported when it is first used: `NORMS` names its function as `module:name`.

A norm maps a table of worths to one value per agent. The values need not sum to the amount to
divide; `normalise` makes them sum to this amount. The nucleolus, Deegan–Packel, and Shapley and
Banzhaf values of more than EXACT_AGENTS agents are computed in floats and rounded to 1e-9. All
other values are exact.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import cast

from shapley_coop.amounts import exact, normalise
from shapley_coop.credit.coalitions import Table, agents_in, rounded
from shapley_coop.credit.values.semivalues import (
    Weights,
    banzhaf_weights,
    semivalue,
    semivalue_exact,
    shapley_weights,
)
from shapley_coop.credit.values.shapley import marginal_contributions
from shapley_coop.extension import import_place

Norm = Callable[[Table], list[Fraction]]
"""A function from 2**n worths to n values, in the unit of the worths."""

EXACT_AGENTS = 16
"""The largest number of agents with exact semivalues (at most 0.5 s); for more, floats are used."""


def norm(name: str) -> Norm:
    """Return the norm of that name.

    Raises:
        LibraryMissing: a library that the norm needs is not installed.
        ValueError: the name is not in NORMS.
    """
    if name not in NORMS:
        raise ValueError(f"{name!r} is not a norm: choose from {', '.join(sorted(NORMS))}")
    return cast(Norm, import_place(NORMS[name]))


def surplus(table: Table) -> Fraction:
    """Return the exact amount to divide, v(N) − v(∅), in the unit of the worths."""
    agents_in(table)
    return exact(table[-1], "v(N)") - exact(table[0], "v(∅)")


def shapley(table: Table) -> list[Fraction]:
    """Return each agent's mean marginal contribution over all orders of arrival."""
    return _semivalue(table, shapley_weights(agents_in(table)))


def banzhaf(table: Table) -> list[Fraction]:
    """Return each agent's mean marginal contribution over all coalitions; the sum may miss v(N)."""
    return _semivalue(table, banzhaf_weights(agents_in(table)))


def banzhaf_normalised(table: Table) -> list[Fraction]:
    """Return Banzhaf values adjusted by `normalise` to sum to v(N) − v(∅)."""
    return normalise(surplus(table), banzhaf(table))


def leave_one_out(table: Table) -> list[Fraction]:
    """Return each agent's v(N) − v(N∖{i}): Eq. 9 of Shapley-Coop as printed."""
    return _by_few("leave_one_out", table)


def equal(table: Table) -> list[Fraction]:
    """Return equal parts of v(N) − v(∅)."""
    return _by_few("equal", table)


def proportional(table: Table) -> list[Fraction]:
    """Return each v({i}) − v(∅), adjusted by `normalise` to sum to v(N) − v(∅)."""
    return _by_few("proportional", table)


def by_few_worths(
    name: str,
    gain: Fraction,
    marginal: Sequence[Fraction],
    stand_alone: Callable[[], Sequence[Fraction]],
) -> list[Fraction]:
    """Return the values by a norm in FEW, given v(N) − v(∅) as the gain.

    `marginal` has each agent's v(N) − v(N∖{i}), and `stand_alone` returns each v({i}) − v(∅).
    """
    if name == "equal":
        return [gain / len(marginal)] * len(marginal)
    return list(marginal) if name == "leave_one_out" else normalise(gain, stand_alone())


def _by_few(name: str, table: Table) -> list[Fraction]:
    worths = [exact(worth, "a worth") for worth in table]
    alone = [worths[1 << i] - worths[0] for i in range(agents_in(table))]
    return by_few_worths(name, surplus(table), marginal_contributions(worths), lambda: alone)


def _semivalue(table: Table, weights: Weights) -> list[Fraction]:
    if agents_in(table) <= EXACT_AGENTS:
        return semivalue_exact(table, weights)
    return rounded(semivalue(table, weights))


FEW = ("equal", "leave_one_out", "proportional")
"""The norms that need the worths of only about n coalitions."""

NORMS = {
    "shapley": f"{__name__}:shapley",
    "banzhaf": f"{__name__}:banzhaf",
    "banzhaf_normalised": f"{__name__}:banzhaf_normalised",
    "leave_one_out": f"{__name__}:leave_one_out",
    "deegan_packel": "shapley_coop.extensions.values.deegan_packel:by_deegan_packel",
    "nucleolus": "shapley_coop.extensions.values.nucleolus:by_nucleolus",
    "equal": f"{__name__}:equal",
    "proportional": f"{__name__}:proportional",
}
"""All norms: name → the `module:name` of its function, whose docstring defines it in one line."""
