"""Tests of a value on a given game by the four axioms that characterise the Shapley value."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from shapley_coop.credit.coalitions import Floats, Table, agents_in
from shapley_coop.credit.values.semivalues import marginals

AXIOMS = ("efficiency", "symmetry", "null_player", "additivity")


def check_axioms(
    value: Callable[[Any], Sequence[Any] | Floats],
    table: Table,
    other_table: Table | None = None,
    tol: float = 1e-9,
) -> dict[str, bool | None]:
    """Test efficiency, symmetry, null player and additivity (Shapley 1953) on a game.

    False means that this game is a counterexample; True means that it is not.

    Args:
        value: the function under test, from a table to n values.
        table: 2**n worths; a game in which many worths are equal tests little.
        other_table: a second game of the same agents, for the test of additivity.
        tol: the tolerance, as a fraction of the largest absolute worth, or of 1 if that is larger.

    Returns:
        efficiency: the values sum to v(N) − v(∅).
        symmetry: agents with equal contributions to every coalition have equal values.
        null_player: agents that contribute 0 to every coalition have the value 0.
        additivity: the sum of two games has the sum of their values; None without `other_table`.

    Raises:
        ValueError: the second game has another size, or `value` is not defined on a game.
    """
    worths = np.asarray(table, dtype=np.float64)
    n = agents_in(worths)
    values = _floats(value(table))
    slack = tol * max(1.0, float(np.abs(worths).max()))
    twins = [pair for pair in combinations(range(n), 2) if _interchangeable(worths, *pair, slack)]
    silent = [i for i in range(n) if np.abs(marginals(worths, i)).max() <= slack]
    return {
        "efficiency": bool(abs(values.sum() - (worths[-1] - worths[0])) <= n * slack),
        "symmetry": all(bool(abs(values[i] - values[j]) <= slack) for i, j in twins),
        "null_player": bool((np.abs(values[silent]) <= slack).all()),
        "additivity": None
        if other_table is None
        else _additive(value, table, other_table, values, tol),
    }


def convex_game(n: int) -> list[int]:
    """Return the fixed game v(S) = (Σ_{i ∈ S} (i + 1))², for tests of additivity.

    The game is convex, so all values of this package except Deegan–Packel are defined on it. If a
    value is defined on another game, it is also defined on the sum of that game and this one.
    """
    return [sum(i + 1 for i in range(n) if mask >> i & 1) ** 2 for mask in range(1 << n)]


def _interchangeable(worths: Floats, i: int, j: int, slack: float) -> bool:
    """Return whether v(C ∪ {i}) = v(C ∪ {j}) for every C without i and j."""
    if abs(worths[1 << i] - worths[1 << j]) > slack:
        return False
    masks = np.arange(len(worths))
    only_i = masks[(masks >> i & 1 == 1) & (masks >> j & 1 == 0)]
    return bool(np.abs(worths[only_i] - worths[only_i ^ (1 << i | 1 << j)]).max() <= slack)


def _additive(
    value: Callable[[Any], Sequence[Any] | Floats],
    table: Table,
    other_table: Table,
    values: Floats,
    tol: float,
) -> bool:
    if len(other_table) != len(table):
        raise ValueError(
            f"the second game has {len(other_table)} worths, the first {len(table)}: they must be "
            "equal"
        )
    both = [worth + other for worth, other in zip(table, other_table, strict=True)]
    parts = values + _floats(value(other_table))
    largest = max(1.0, *(abs(float(worth)) for worth in (*table, *other_table)))
    return bool(np.abs(_floats(value(both)) - parts).max() <= 2 * tol * largest)


def _floats(values: Sequence[Any] | Floats) -> Floats:
    return np.array([float(value) for value in values])
