"""The nucleolus: the division with the lexicographically smallest complaints of coalitions.

All worths are taken relative to v(∅): the amount to divide is v(N) − v(∅), and the worth of a
coalition S is v(S) − v(∅). x(S) is the sum of the payoffs x of the members of S.
"""

from fractions import Fraction

import numpy as np

from shapley_coop.amounts import exact
from shapley_coop.credit.coalitions import Floats, Table, agents_in, rounded
from shapley_coop.extensions.values import MAX_NUCLEOLUS
from shapley_coop.extras import require_extra

with require_extra("nucleolus", "the nucleolus"):
    from scipy.optimize import linprog


def by_nucleolus(table: Table) -> list[Fraction]:
    """Return the nucleolus, or the prenucleolus if stand-alone worths exceed the total."""
    nothing, everything = exact(table[0], "v(∅)"), exact(table[-1], "v(N)")
    alone = (exact(table[1 << i]) - nothing for i in range(agents_in(table)))
    rational = sum(alone, Fraction(0)) <= everything - nothing
    return rounded(nucleolus(table) if rational else prenucleolus(table))


def nucleolus(table: Table) -> Floats:
    """Return the imputation with the lexicographically smallest complaints (Schmeidler 1969).

    Sequential linear programs (Kopelowitz 1967) maximise the smallest surplus x(S) − v(S), then
    the next smallest, until all payoffs are fixed. If the core is not empty, the result lies in
    the core.

    Args:
        table: 2**n worths, n ≤ MAX_NUCLEOLUS.

    Returns:
        Payoffs that sum to v(N) − v(∅), accurate to about 1e-9 of the largest worth.
        Cost: at most n − 1 linear programs of 2**n rows.

    Raises:
        ValueError: there are too many agents, or the stand-alone worths sum to more than v(N), so
            that no imputation exists (`prenucleolus` needs none).
    """
    worths = _normalise(table)
    alone = worths[1 << np.arange(agents_in(table))]
    if alone.sum() > worths[-1] + 1e-9 * np.abs(worths).max():
        raise ValueError(
            f"there is no nucleolus: the agents' worths alone sum to {alone.sum():g}, more than "
            f"v(N) = {worths[-1]:g}; choose prenucleolus, which ignores worths alone"
        )
    return _sequential(worths, alone)


def prenucleolus(table: Table) -> Floats:
    """Return the nucleolus over all divisions, individually rational or not.

    Raises:
        ValueError: there are more than MAX_NUCLEOLUS agents.
    """
    worths = _normalise(table)
    return _sequential(worths, np.full(agents_in(table), -np.inf))


def _normalise(table: Table) -> Floats:
    if agents_in(table) > MAX_NUCLEOLUS:
        raise ValueError(
            f"{agents_in(table)} agents: the nucleolus is computed for at most {MAX_NUCLEOLUS}"
        )
    worths = np.asarray(table, dtype=np.float64)
    return np.asarray(worths - worths[0])


def _memberships(n: int) -> Floats:
    """Return a matrix of 2**n rows and n columns: 1 if the row's coalition has the agent."""
    return (np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(np.float64)


def _sequential(worths: Floats, least: Floats) -> Floats:
    """Return the payoffs by fixing x(S) of coalitions, level by level, until all are determined.

    `fixed` has the masks of linearly independent coalitions and `sums` has their payoffs x(S).
    Each linear program covers only the coalitions whose x(S) does not follow from `fixed`.
    """
    n = len(least)
    scale = np.abs(worths).max() or 1.0
    worths, least = worths / scale, least / scale
    rows = _memberships(n)
    fixed, sums = [len(worths) - 1], [worths[-1]]
    while len(fixed) < n:
        open_masks = np.flatnonzero(_outside_span(rows, rows[fixed]))
        surplus, tight = _widest(rows[open_masks], worths[open_masks], rows[fixed], sums, least)
        for mask in open_masks[tight]:
            if _outside_span(rows[[mask]], rows[fixed])[0]:
                fixed.append(int(mask))
                sums.append(worths[mask] + surplus)
    return np.asarray(np.linalg.solve(rows[fixed], np.array(sums)) * scale)


def _outside_span(rows: Floats, basis: Floats) -> np.ndarray:
    """Return for each row whether it is linearly independent of the rows of `basis`."""
    directions, _ = np.linalg.qr(basis.T)
    rest = rows - rows @ directions @ directions.T
    return np.asarray(np.abs(rest).max(axis=1) > 1e-9)


def _widest(
    rows: Floats, worths: Floats, fixed: Floats, sums: list[float], least: Floats
) -> tuple[float, np.ndarray]:
    """Return the largest t with x(S) − v(S) ≥ t for all `rows`, and the constraints that bind.

    By complementary slackness, constraints with a positive dual price bind in every optimum. The
    prices sum to 1, so at least one constraint binds, and the caller's loop ends.
    """
    program = linprog(
        c=np.append(np.zeros(len(least)), -1.0),
        A_ub=np.column_stack([-rows, np.ones(len(rows))]),
        b_ub=-worths,
        A_eq=np.column_stack([fixed, np.zeros(len(fixed))]),
        b_eq=np.array(sums),
        bounds=[*((low, None) for low in least), (None, None)],
        method="highs",
    )
    if program.status != 0:
        raise ArithmeticError(f"a linear program of the nucleolus failed: {program.message}")
    return -float(program.fun), program.ineqlin.marginals < -1e-6
