"""The exact Shapley value: against its definition, its axioms and other people's programs."""

from fractions import Fraction
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.credit.coalitions import worth_table
from shapley_coop.credit.values.classes import shapley_by_class
from shapley_coop.credit.values.shapley import (
    marginal_contributions,
    shapley,
    shapley_exact,
)

unhurried = settings(deadline=None, max_examples=60)

ESCAPE_ROOM = [0, -1, -1, 9]


def tables(entries: st.SearchStrategy, most: int = 5) -> st.SearchStrategy:
    return st.integers(1, most).flatmap(
        lambda n: st.lists(entries, min_size=1 << n, max_size=1 << n)
    )


integers = st.integers(-1000, 1000)
fractions = st.fractions(-100, 100, max_denominator=60)


def by_definition(table: list) -> list[Fraction]:
    """Every order of arrival, one by one."""
    n = len(table).bit_length() - 1
    values = [Fraction(0)] * n
    for order in permutations(range(n)):
        mask = 0
        for agent in order:
            values[agent] += Fraction(table[mask | 1 << agent]) - Fraction(table[mask])
            mask |= 1 << agent
    return [value / factorial(n) for value in values]


def test_the_escape_room_is_worth_the_same_to_both() -> None:
    assert shapley_exact(ESCAPE_ROOM) == [Fraction(9, 2)] * 2
    assert shapley(ESCAPE_ROOM).tolist() == [4.5, 4.5]


def test_a_glove_market_favours_the_scarce_glove() -> None:
    table = worth_table(["left", "right", "right too"], lambda c: int("left" in c and len(c) > 1))
    assert shapley_exact(table) == [Fraction(2, 3), Fraction(1, 6), Fraction(1, 6)]


@given(tables(fractions))
@unhurried
def test_the_value_is_the_average_over_all_orders_of_arrival(table: list[Fraction]) -> None:
    expected = by_definition(table)
    assert shapley_exact(table) == expected
    assert shapley(table) == pytest.approx([float(value) for value in expected], abs=1e-9)


def test_the_marginal_contribution_is_measured_against_all_others() -> None:
    assert marginal_contributions(ESCAPE_ROOM) == [10, 10]
    assert marginal_contributions([Fraction(0), Fraction(1, 3)]) == [Fraction(1, 3)]


@pytest.mark.parametrize("sizes", [[1], [3], [1, 1, 1], [2, 3], [4, 1, 2]])
def test_counting_classes_agrees_with_the_table(sizes: list[int]) -> None:
    kinds = np.repeat(np.arange(len(sizes)), sizes)
    worths = np.random.default_rng(sum(sizes)).integers(-99, 99, [size + 1 for size in sizes])

    def worth(coalition: frozenset[str]) -> int:
        inside = kinds[[int(agent) for agent in sorted(coalition)]]
        return int(worths[tuple(np.bincount(inside, minlength=len(sizes)))])

    table = worth_table([str(i) for i in range(len(kinds))], worth)
    assert [shapley_by_class(worths, kind) for kind in kinds] == shapley_exact(table)


def test_forty_agents_of_four_classes_are_exact() -> None:
    """In a majority game everyone is the pivot as often; a product needs all of its factors."""
    counts = np.indices((11,) * 4)
    majority, pairs = (counts.sum(axis=0) > 20).astype(int), counts[0] * counts[1]
    assert {shapley_by_class(majority, c) for c in range(4)} == {Fraction(1, 40)}
    assert [shapley_by_class(pairs, c) for c in range(4)] == [5, 5, 0, 0]


@given(tables(integers))
@unhurried
def test_coopgame_finds_the_same_values(table: list[int]) -> None:
    coopgame = pytest.importorskip("coopgame", reason="coopgame-py is not installed")
    game = coopgame.Game([float(worth - table[0]) for worth in table[1:]])
    assert shapley(table) == pytest.approx(coopgame.shapley(game), abs=1e-8)
