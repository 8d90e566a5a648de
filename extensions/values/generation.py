"""The nucleolus by linear programs over few coalitions, which an oracle adds where they are missed.

Sequential linear programs (Kopelowitz 1967) maximise the smallest surplus x(S) − v(S), then the
next smallest, until all payoffs are fixed. A program starts with the players alone. As long as some
other coalition has a smaller surplus than the program's, the oracle names it, and it is added.

A coalition is a row with a number for each player: 1 or 0, or for players that stand for several
equal agents, the number of these in the coalition.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shapley_coop.credit.coalitions import Floats
from shapley_coop.extras import require_extra

with require_extra("nucleolus", "the nucleolus"):
    from scipy.optimize import linprog

CLOSE = 1e-9
"""Surpluses that differ by less are equal; worths are scaled so that the largest is about 1."""

DRAWS = 3
"""In how many random directions the oracle looks for a coalition before a level is finished."""

Oracle = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""A function from payoffs x and a direction z to coalitions S with z(S) ≠ 0, the one with the
smallest surplus among them, and their worths."""


class Program(NamedTuple):
    """The linear program of one level.

    Attributes:
        rows: the coalitions that it considers.
        worths: their worths.
        fixed: linearly independent coalitions whose payoffs are fixed by earlier levels.
        sums: these payoffs.
        least: each player's smallest payoff.
    """

    rows: Floats
    worths: Floats
    fixed: Floats
    sums: Floats
    least: Floats


def generate(program: Program, oracle: Oracle, moved: Callable[[], None] = lambda: None) -> Floats:
    """Return the payoffs of the nucleolus, level by level.

    Args:
        program: the first program, with the players alone as rows and all of them as `fixed`.
        oracle: names coalitions with the smallest surplus.
        moved: called after each level.
    """
    rng = np.random.default_rng(0)
    while len(program.fixed) < program.fixed.shape[1]:
        program, surplus, tight = _level(program, oracle, rng)
        moved()
        before = len(program.fixed)
        for row, worth in zip(program.rows[tight], program.worths[tight], strict=True):
            if _outside_span(row[None], program.fixed)[0]:
                fixed = np.vstack([program.fixed, row])
                program = program._replace(
                    fixed=fixed, sums=np.append(program.sums, worth + surplus)
                )
        if len(program.fixed) == before:
            raise ArithmeticError("a level of the nucleolus fixed no coalition: numbers too close")
    return np.asarray(np.linalg.solve(program.fixed, program.sums))


def _level(
    program: Program, oracle: Oracle, rng: np.random.Generator
) -> tuple[Program, float, np.ndarray]:
    """Return the program with all coalitions that matter, its largest surplus, and what binds."""
    kept = _outside_span(program.rows, program.fixed)
    program = program._replace(rows=program.rows[kept], worths=program.worths[kept])
    payoffs, surplus, tight = _widest(program)
    calm = 0
    while calm < DRAWS:
        rows, worths = oracle(payoffs, _direction(program.fixed, rng))
        # The program keeps its own rows only up to its tolerance; adding them again ends never.
        missed = (rows @ payoffs - worths < surplus - CLOSE) & ~_are_in(rows, program.rows)
        calm += 1
        if missed.any():
            program = program._replace(
                rows=np.vstack([program.rows, rows[missed]]),
                worths=np.append(program.worths, worths[missed]),
            )
            payoffs, surplus, tight = _widest(program)
            calm = 0
    return program, surplus, tight


def _direction(fixed: Floats, rng: np.random.Generator) -> Floats:
    """Return a random direction z that is 0 for all coalitions whose payoffs are fixed.

    z(S) is 0 for other coalitions with probability 0, so that z tells these coalitions apart.
    """
    free = np.linalg.svd(fixed)[2][len(fixed) :]
    found = rng.standard_normal(len(free)) @ free
    return np.asarray(found / np.abs(found).max())


def _are_in(rows: Floats, others: Floats) -> np.ndarray:
    """Return for each row whether it is one of the other rows."""
    known = {row.tobytes() for row in others}
    return np.array([row.tobytes() in known for row in rows], dtype=bool)


def _outside_span(rows: Floats, basis: Floats) -> np.ndarray:
    """Return for each row whether it is linearly independent of the rows of `basis`."""
    directions, _ = np.linalg.qr(basis.T)
    rest = rows - rows @ directions @ directions.T
    return np.asarray(np.abs(rest).max(axis=1) > 1e-9 * np.abs(rows).max(initial=1))


def _widest(program: Program) -> tuple[Floats, float, np.ndarray]:
    """Return payoffs with the largest t ≤ x(S) − v(S) for all rows, this t, and the rows that bind.

    By complementary slackness, constraints with a positive dual price bind in every optimum. The
    prices sum to 1, so at least one constraint binds, and every level fixes a coalition.
    """
    rows, worths, fixed, sums, least = program
    found = linprog(
        c=np.append(np.zeros(len(least)), -1.0),
        A_ub=np.column_stack([-rows, np.ones(len(rows))]),
        b_ub=-worths,
        A_eq=np.column_stack([fixed, np.zeros(len(fixed))]),
        b_eq=sums,
        bounds=[*((low, None) for low in least), (None, None)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status != 0:
        raise ArithmeticError(f"a linear program of the nucleolus failed: {found.message}")
    return found.x[:-1], -float(found.fun), found.ineqlin.marginals < -1e-6
