"""Arbiters decide what the theory says they do."""

from fractions import Fraction
from random import Random
from typing import Any

from shapley_coop.extensions.opponents.arbiters import (
    Point,
    fixed_split,
    kalai_smorodinsky,
    nash,
    random_split,
)


def point(*amounts: Any) -> Point:
    return tuple(map(Fraction, amounts))


NOTHING = point(0, 0)
ON_A_LINE = [point(x, Fraction(10) - x) for x in range(11)]
RAIFFA = [point(x, min(Fraction(10), 20 - 2 * Fraction(x))) for x in range(11)]
"""The best of Ann is 10, that of Ben 10, and above 5 each of Ann's units costs Ben two."""


def test_on_a_line_all_but_chance_halve_the_gain() -> None:
    assert nash(ON_A_LINE, NOTHING) == point(5, 5)
    assert kalai_smorodinsky(ON_A_LINE, NOTHING) == point(5, 5)
    assert fixed_split(ON_A_LINE, NOTHING) == point(5, 5)


def test_a_better_alternative_moves_every_arbiter_by_it() -> None:
    assert nash(ON_A_LINE, point(4, 0)) == point(7, 3)
    assert kalai_smorodinsky(ON_A_LINE, point(4, 0)) == point(7, 3)
    assert fixed_split(ON_A_LINE, point(4, 0)) == point(7, 3)


def test_what_an_agent_could_have_had_moves_kalai_smorodinsky_and_not_nash() -> None:
    """The product is 50 at (5, 10), 48 at (6, 8); the least part of the best is 0.5 and 0.6."""
    assert nash(RAIFFA, NOTHING) == point(5, 10)
    assert kalai_smorodinsky(RAIFFA, NOTHING) in (point(6, 8), point(7, 6))
    assert kalai_smorodinsky(RAIFFA, NOTHING) == point(6, 8), "of equals the higher sum"


def test_units_of_an_agent_change_neither_solution() -> None:
    for rule in (nash, kalai_smorodinsky):
        scaled = [point(3 * a + 1, b) for a, b in RAIFFA]
        a, b = rule(RAIFFA, NOTHING)
        assert rule(scaled, point(1, 0)) == point(3 * a + 1, b)


def test_nobody_is_left_with_less_than_without_an_agreement() -> None:
    rng = Random(7)
    for seed in range(200):
        points = [point(*(rng.randint(-9, 9) for _ in range(3))) for _ in range(6)]
        without = point(*(rng.randint(-9, 9) for _ in range(3)))
        for found in (
            nash(points, without),
            kalai_smorodinsky(points, without),
            fixed_split(points, without),
            random_split(points, without, seed),
        ):
            assert all(u >= d for u, d in zip(found, without, strict=True))


def test_where_nothing_is_better_for_all_the_arbiter_leaves_things_as_they_are() -> None:
    assert nash([point(9, 0)], point(1, 1)) == point(1, 1)
    assert fixed_split([point(0, 0)], point(1, 1)) == point(1, 1)


def test_a_random_split_divides_everything_and_each_half_as_often() -> None:
    drawn = [random_split(ON_A_LINE, NOTHING, seed) for seed in range(400)]
    assert all(sum(found) == 10 for found in drawn)
    assert random_split(ON_A_LINE, NOTHING, 3) == drawn[3]
    assert 160 < sum(found[0] < 5 for found in drawn) < 240
