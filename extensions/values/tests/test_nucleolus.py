"""The nucleolus, against literature, brute conditions and another program."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.credit.coalitions import worth_table
from shapley_coop.extensions.values.nucleolus import (
    nucleolus,
    prenucleolus,
)

unhurried = settings(deadline=None, max_examples=40)
tables = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.integers(-10, 30), min_size=1 << n, max_size=1 << n)
)


def bankruptcy(estate: int, debts: list[int]) -> list[int]:
    """What a coalition gets once everyone else is paid in full (O'Neill 1982)."""
    names = [str(i) for i in range(len(debts))]
    return worth_table(
        names, lambda c: max(0, estate - sum(d for i, d in enumerate(debts) if str(i) not in c))
    )


@pytest.mark.parametrize(
    ("estate", "awards"),
    [(100, [100 / 3] * 3), (200, [50, 75, 75]), (300, [50, 100, 150])],
)
def test_the_nucleolus_divides_an_estate_as_the_talmud_does(
    estate: int, awards: list[float]
) -> None:
    """Aumann & Maschler (1985), debts of 100, 200 and 300."""
    assert nucleolus(bankruptcy(estate, [100, 200, 300])) == pytest.approx(awards)


def test_the_nucleolus_keeps_stand_alone_worths_where_the_prenucleolus_does_not() -> None:
    table = [0, 0, 0, 10, 0, 0, 0, 2]  # {A, B} is worth 10, all three only 2
    assert nucleolus(table) == pytest.approx([1, 1, 0])
    assert prenucleolus(table) == pytest.approx([3, 3, -4])


def test_without_an_imputation_there_is_no_nucleolus() -> None:
    with pytest.raises(ValueError, match="the agents' worths alone sum to 10"):
        nucleolus([0, 5, 5, 4])
    assert prenucleolus([0, 5, 5, 4]) == pytest.approx([2, 2])


@given(tables)
@unhurried
def test_coopgame_finds_the_same_nucleolus(table: list[int]) -> None:
    coopgame = pytest.importorskip("coopgame", reason="coopgame-py is not installed")
    above = [float(worth - table[0]) for worth in table]
    alone = sum(above[1 << i] for i in range(len(table).bit_length() - 1))
    game = coopgame.Game(above[1:])
    assert prenucleolus(table) == pytest.approx(coopgame.prenucleolus(game)["allocation"], abs=1e-7)
    if alone <= above[-1]:
        assert nucleolus(table) == pytest.approx(coopgame.nucleolus(game)["allocation"], abs=1e-7)


@given(tables)
@unhurried
def test_no_nearby_division_has_smaller_complaints(table: list[int]) -> None:
    """Lexicographic optimality, tried on every step of ±0.01 between two agents."""
    best = prenucleolus(table)
    n = len(best)
    members = np.arange(1, (1 << n) - 1)[:, None] >> np.arange(n) & 1
    worths = np.array(table[1:-1], dtype=float) - table[0]

    def surpluses(payoffs: np.ndarray) -> list[float]:
        return sorted(np.round(members @ payoffs - worths, 6).tolist())

    for giver, taker in product(range(n), repeat=2):
        moved = best.copy()
        moved[giver] -= 0.01
        moved[taker] += 0.01
        assert surpluses(moved) <= surpluses(best)


def test_worths_count_above_that_of_nobody() -> None:
    lifted = [worth + 100 for worth in bankruptcy(200, [100, 200, 300])]
    assert nucleolus(lifted) == pytest.approx([50, 75, 75])


def test_worths_that_differ_by_less_than_the_solvers_tolerance_are_ended() -> None:
    """Worths that were rounded: many coalitions bind, each only up to that tolerance."""
    of_size = [0, 119.99998, 240.00002, 360, 479.99998, 600.00002, 720]
    table = [of_size[mask.bit_count()] for mask in range(64)]
    assert list(nucleolus(table)) == pytest.approx([120] * 6, abs=1e-4)
