"""Norms by name, payoffs that sum exactly, and the axioms each norm keeps or breaks."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.amounts import normalise
from shapley_coop.credit.norms import NORMS, norm
from shapley_coop.credit.values.shapley import shapley
from shapley_coop.extensions.values.axioms import check_axioms, convex_game

fractions = st.fractions(-100, 100, max_denominator=40)
tables = st.integers(1, 4).flatmap(lambda n: st.lists(fractions, min_size=1 << n, max_size=1 << n))
ESCAPE_ROOM = [0, -1, -1, 9]
# A and B are interchangeable, C adds nothing.
DUO_AND_IDLER = [0, 2, 2, 10, 0, 2, 2, 10]
TABLE = [0, 1, 2, 4, 3, 6, 5, 12]


def test_an_unknown_norm_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'shapely' is not a norm: choose from banzhaf, .*"):
        norm("shapely")
    assert all(norm(name).__doc__ for name in NORMS)


@pytest.mark.parametrize("name", sorted(NORMS.keys() - {"deegan_packel"}))
@given(table=tables)
@settings(deadline=None, max_examples=25)
def test_every_norm_pays_out_exactly_on_every_game(name: str, table: list[Fraction]) -> None:
    values = norm(name)(table)
    assert all(isinstance(value, Fraction) for value in values)
    total = table[-1] - table[0]
    assert sum(normalise(total, values)) == total


@pytest.mark.parametrize(
    ("name", "payoffs"),
    [
        ("shapley", [4.5, 4.5]),
        ("banzhaf", [4.5, 4.5]),
        ("leave_one_out", [10, 10]),
        ("nucleolus", [4.5, 4.5]),
        ("equal", [4.5, 4.5]),
        ("proportional", [4.5, 4.5]),
    ],
)
def test_what_each_norm_says_in_the_escape_room(name: str, payoffs: list[float]) -> None:
    assert norm(name)(ESCAPE_ROOM) == payoffs


def test_proportional_weighs_stand_alone_worths_by_size_as_the_page_says() -> None:
    alone = {"Ann": -4, "Ben": 0, "Cid": -2}  # of the example in docs/credit.md
    table = [0, alone["Ann"], alone["Ben"], 0, alone["Cid"], 0, 0, 20]
    assert norm("proportional")(table) == [Fraction(40, 3), 0, Fraction(20, 3)]


def test_the_nucleolus_norm_settles_even_games_without_an_imputation() -> None:
    assert norm("nucleolus")([0, 5, 5, 4]) == [2, 2]


def test_beyond_the_exact_sizes_values_are_rounded_floats() -> None:
    table = np.random.default_rng(2).random(1 << 17)
    values = norm("shapley")(table)
    assert [float(value) for value in values] == pytest.approx(shapley(table).tolist(), abs=1e-9)
    assert all(10**9 % value.denominator == 0 for value in values)


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("shapley", set()),
        ("banzhaf", {"efficiency"}),
        ("leave_one_out", {"efficiency"}),
        ("equal", {"null_player"}),
        ("nucleolus", {"additivity"}),
        ("proportional", {"additivity"}),
    ],
)
def test_only_shapley_keeps_all_four_axioms(name: str, broken: set[str]) -> None:
    """On a game with a pair of twins and an idler, and on one where Banzhaf is not efficient."""
    games = (DUO_AND_IDLER, TABLE)
    found = set()
    for table in games:
        axioms = check_axioms(norm(name), table, convex_game(3), tol=1e-7)
        found |= {axiom for axiom, holds in axioms.items() if not holds}
    assert found == broken


def test_the_checker_sees_each_axiom_broken() -> None:
    twins_apart = check_axioms(lambda table: [table[-1], 0, 0], DUO_AND_IDLER)
    assert twins_apart == {
        "efficiency": True,
        "symmetry": False,
        "null_player": True,
        "additivity": None,
    }


def test_a_second_game_must_have_the_same_agents() -> None:
    with pytest.raises(ValueError, match="the second game has 4 worths"):
        check_axioms(shapley, TABLE, ESCAPE_ROOM)


def test_the_checker_scales_its_tolerance_with_the_worths() -> None:
    huge = [worth * 1e12 for worth in TABLE]
    other = [worth * 1e11 for worth in convex_game(3)]
    assert all(check_axioms(shapley, huge, other).values())
    off = check_axioms(lambda table: shapley(table) * (1 + 1e-6), huge)
    assert off["efficiency"] is False
