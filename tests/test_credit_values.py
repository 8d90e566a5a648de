"""Banzhaf, leave-one-out, Deegan–Packel, equal and proportional values."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.credit.coalitions import worth_table
from shapley_coop.credit.values.other import (
    banzhaf,
    deegan_packel,
    equal,
    leave_one_out,
    proportional,
)

ESCAPE_ROOM = [0, -1, -1, 9]
unhurried = settings(deadline=None, max_examples=60)
tables = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.integers(-50, 50), min_size=1 << n, max_size=1 << n)
)


def voting(quota: int, votes: list[int]) -> list[int]:
    """A weighted majority game: a coalition wins with `quota` votes."""
    agents = [str(i) for i in range(len(votes))]
    return worth_table(agents, lambda c: int(sum(votes[int(i)] for i in c) >= quota))


@given(tables)
@unhurried
def test_banzhaf_averages_over_every_coalition_of_the_others(table: list[int]) -> None:
    n = len(table).bit_length() - 1
    for i, value in enumerate(banzhaf(table)):
        others = [1 << j for j in range(n) if j != i]
        added = [
            table[sum(c) | 1 << i] - table[sum(c)]
            for size in range(n)
            for c in combinations(others, size)
        ]
        assert value == pytest.approx(sum(added) / len(added))


def test_banzhaf_power_of_a_parliament() -> None:
    """50, 49 and 1 votes, majority 51: the smallest party is as powerful as the second."""
    assert banzhaf(voting(51, [50, 49, 1])).tolist() == [0.75, 0.25, 0.25]
    assert banzhaf(voting(51, [50, 49, 1]), normalised=True) == pytest.approx([0.6, 0.2, 0.2])


def test_normalised_banzhaf_divides_what_there_is() -> None:
    table = [0, 1, 2, 4, 3, 6, 5, 12]
    assert banzhaf(table).sum() != pytest.approx(12)
    assert banzhaf(table, normalised=True).sum() == pytest.approx(12)


def test_banzhaf_values_that_cancel_have_no_normalised_form() -> None:
    with pytest.raises(ValueError, match="sum to 0"):
        banzhaf([0, 1, -1, 0], normalised=True)


def test_leave_one_out_breaks_efficiency_in_the_escape_room() -> None:
    values = leave_one_out(ESCAPE_ROOM)
    assert values.tolist() == [10, 10]
    assert values.sum() == 20 != ESCAPE_ROOM[-1]


def test_deegan_packel_counts_minimal_winning_coalitions() -> None:
    """Winning minimally: {0, 1}, {0, 2} and {1, 2, 3}."""
    assert deegan_packel(voting(5, [3, 2, 2, 1])) == pytest.approx(
        [(1 / 2 + 1 / 2) / 3, (1 / 2 + 1 / 3) / 3, (1 / 2 + 1 / 3) / 3, (1 / 3) / 3]
    )


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.floats(0.01, 1))
@unhurried
def test_coopgame_finds_the_same_power(votes: list[int], part: float) -> None:
    coopgame = pytest.importorskip("coopgame", reason="coopgame-py is not installed")
    table = voting(max(1, round(part * sum(votes))), votes)
    game = coopgame.Game([float(worth) for worth in table[1:]])
    assert deegan_packel(table) == pytest.approx(coopgame.power_indices(game)["deegan_packel"])
    assert banzhaf(table) == pytest.approx(coopgame.banzhaf(game))


@pytest.mark.parametrize(
    "table", [[0, 0.5, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 1, 0, 0, 1, 1, 1]]
)
def test_deegan_packel_refuses_games_that_are_not_simple(table: list[float]) -> None:
    with pytest.raises(ValueError, match=r"simple game|monotone game"):
        deegan_packel(table)


def test_equal_and_proportional_divide_the_surplus() -> None:
    table = [10, 11, 13, 10 + 20]
    assert equal(table).tolist() == [10, 10]
    assert proportional(table).tolist() == [5, 15]


@pytest.mark.parametrize("table", [ESCAPE_ROOM, [0, 0, 0, 5]])
def test_proportions_need_stand_alone_worths(table: list[int]) -> None:
    with pytest.raises(ValueError, match="stand-alone worths"):
        proportional(table)


def test_values_take_arrays_and_lists_alike() -> None:
    table = np.random.default_rng(0).random(16)
    table[0] = 0
    for value in (banzhaf, leave_one_out, equal, proportional):
        assert value(table).tolist() == value(table.tolist()).tolist()
