"""Settlement norms by name: functions from a characteristic function to each agent's value.

A norm is imported when it is first used. Extensions add norms (`Extension.norms`).

A norm maps a table of worths to one value per agent. The values need not sum to the amount to
divide; `normalise` makes them sum to this amount. This module's norms give exact values, except
that Shapley values of more than EXACT_AGENTS agents are floats, rounded to 1e-9.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import cast

from shapley_coop.amounts import exact, normalise
from shapley_coop.credit.coalitions import Table, agents_in, rounded
from shapley_coop.credit.values.semivalues import (
    Weights,
    semivalue,
    semivalue_exact,
    shapley_weights,
)
from shapley_coop.credit.values.shapley import marginal_contributions
from shapley_coop.extension import Norm, import_place, installed
from shapley_coop.extras import LibraryMissing
from shapley_coop.files import no_such

OfTable = Callable[[Table], list[Fraction]]
"""A function from 2**n worths to n values, in the unit of the worths."""

EXACT_AGENTS = 16
"""The largest number of agents with exact semivalues (at most 0.5 s); for more, floats are used."""


class NormMissing(LibraryMissing):
    """The error raised for an unknown norm; one line names the known norms."""


def norms() -> Mapping[str, Norm]:
    """Return name → norm: the norms of this module, then those of installed extensions."""
    brought = [pair for one in installed().values() for pair in one.norms.items()]
    return NORMS | {name: added for name, added in brought if name not in NORMS}


def find_norm(name: str) -> Norm:
    """Return the norm of this name.

    Raises:
        NormMissing: neither this module nor an installed extension has the norm.
    """
    known = norms()
    if name not in known:
        gone = "" if MORE in installed() else f"and more if you restore the extension {MORE}"
        raise NormMissing(no_such("norm", name, known, gone))
    return known[name]


def norm(name: str) -> OfTable:
    """Return the function from a table of worths to the agents' values by the norm of that name.

    Raises:
        LibraryMissing: the norm, or a library that it needs, is not installed.
    """
    return cast(OfTable, import_place(find_norm(name).of_table))


def surplus(table: Table) -> Fraction:
    """Return the exact amount to divide, v(N) − v(∅), in the unit of the worths."""
    agents_in(table)
    return exact(table[-1], "v(N)") - exact(table[0], "v(∅)")


def shapley(table: Table) -> list[Fraction]:
    """Return each agent's mean marginal contribution over all orders of arrival."""
    return by_semivalue(table, shapley_weights(agents_in(table)))


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
    """Return the values by a norm that needs few worths, given v(N) − v(∅) as the gain.

    `marginal` has each agent's v(N) − v(N∖{i}), and `stand_alone` returns each v({i}) − v(∅).
    """
    if name == "equal":
        return [gain / len(marginal)] * len(marginal)
    return list(marginal) if name == "leave_one_out" else normalise(gain, stand_alone())


def by_semivalue(table: Table, weights: Weights) -> list[Fraction]:
    """Return semivalues: exact for up to EXACT_AGENTS agents, otherwise rounded floats."""
    if agents_in(table) <= EXACT_AGENTS:
        return semivalue_exact(table, weights)
    return rounded(semivalue(table, weights))


def _by_few(name: str, table: Table) -> list[Fraction]:
    worths = [exact(worth, "a worth") for worth in table]
    alone = [worths[1 << i] - worths[0] for i in range(agents_in(table))]
    return by_few_worths(name, surplus(table), marginal_contributions(worths), lambda: alone)


_MANY = "shapley_coop.credit.values.many"

NORMS = {
    "shapley": Norm(f"{__name__}:shapley", f"{_MANY}:shapley_of_many"),
    "leave_one_out": Norm(f"{__name__}:leave_one_out", f"{_MANY}:few_of_many"),
    "equal": Norm(f"{__name__}:equal", f"{_MANY}:few_of_many"),
    "proportional": Norm(f"{__name__}:proportional", f"{_MANY}:few_of_many"),
}
"""The core's norms by name; the docstring of each norm's function defines it in one line."""

MORE = "values"
"""The extension of this distribution that has more norms."""
