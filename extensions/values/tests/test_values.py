"""Banzhaf and Deegan–Packel values by their definitions, and what other norms say of games."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.credit.attribution import payoffs_by_norm
from shapley_coop.credit.characteristic import Characteristic
from shapley_coop.credit.coalitions import worth_table
from shapley_coop.credit.norms import norm
from shapley_coop.extensions.values.deegan_packel import deegan_packel
from shapley_coop.state.run_config import RunConfig

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
    for i, value in enumerate(norm("banzhaf")(table)):
        others = [1 << j for j in range(n) if j != i]
        added = [
            table[sum(c) | 1 << i] - table[sum(c)]
            for size in range(n)
            for c in combinations(others, size)
        ]
        assert value == Fraction(sum(added), len(added))


def test_banzhaf_power_of_a_parliament() -> None:
    """50, 49 and 1 votes, majority 51: the smallest party is as powerful as the second."""
    assert norm("banzhaf")(voting(51, [50, 49, 1])) == [0.75, 0.25, 0.25]
    assert [str(x) for x in norm("banzhaf_normalised")(voting(51, [50, 49, 1]))] == [
        "3/5",
        "1/5",
        "1/5",
    ]


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
    assert norm("banzhaf")(table) == pytest.approx(list(coopgame.banzhaf(game)))


@pytest.mark.parametrize(
    "table", [[0, 0.5, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 1, 0, 0, 1, 1, 1]]
)
def test_deegan_packel_refuses_games_that_are_not_simple(table: list[float]) -> None:
    with pytest.raises(ValueError, match=r"simple game|monotone game"):
        deegan_packel(table)


@pytest.mark.parametrize("name", ["banzhaf", "nucleolus"])
def test_what_each_norm_says_in_the_escape_room(name: str) -> None:
    assert norm(name)([0, -1, -1, 9]) == [4.5, 4.5]


def test_the_nucleolus_norm_settles_even_games_without_an_imputation() -> None:
    assert norm("nucleolus")([0, 5, 5, 4]) == [2, 2]


def test_a_norm_that_needs_every_coalition_says_so_of_many_agents() -> None:
    agents = [str(n) for n in range(24)]
    with pytest.raises(ValueError, match=r"nucleolus needs all 2\*\*24 coalitions"):
        payoffs_by_norm(Characteristic(agents, lambda c: Fraction(len(c))))("nucleolus", Fraction())


def test_a_norm_that_could_not_settle_is_refused_before_play() -> None:
    with pytest.raises(ValueError, match="deegan_packel cannot be computed from every record"):
        RunConfig(norm="deegan_packel").resolve()
    with pytest.raises(ValueError, match="nucleolus cannot be computed"):
        RunConfig(params={"agents": [f"A{n}" for n in range(17)]}, norm="nucleolus").resolve()
    with pytest.raises(ValueError, match="nucleolus cannot be computed"):
        RunConfig(game="volunteers", params={"agents": 17}, norm="nucleolus").resolve()
    RunConfig(game="volunteers", params={"agents": 16}, norm="nucleolus").resolve()
