"""Coalitions as masks, and the numbers that tables are made of."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.amounts import exact
from shapley_coop.credit.coalitions import (
    agents_in,
    check_agents,
    worth_table,
)
from shapley_coop.credit.reading import read_json

TRIO = ["Ann", "Ben", "Cho"]


def test_a_table_asks_for_every_coalition_once() -> None:
    asked = []

    def worth(coalition: frozenset[str]) -> int:
        asked.append(coalition)
        return len(coalition)

    assert worth_table(TRIO, worth) == [0, 1, 1, 2, 1, 2, 2, 3]
    assert len(asked) == len(set(asked)) == 8


def test_a_table_of_too_many_agents_points_to_sampling() -> None:
    with pytest.raises(ValueError, match="sample_shapley"):
        worth_table([str(i) for i in range(21)], lambda _: 0)


@pytest.mark.parametrize("agents", [[], ["A", "A"], ["A,B"], [" A"], [""], [3]])
def test_names_that_a_key_could_not_tell_apart_are_refused(agents: list[str]) -> None:
    with pytest.raises(ValueError, match="agent"):
        check_agents(agents)


def test_a_float_stands_for_the_decimal_that_prints_it() -> None:
    assert exact(0.1) == exact("0.1") == exact("1/10") == Fraction(1, 10)
    assert exact(0.1) + exact(0.2) + exact(0.7) == 1


@given(st.fractions())
@settings(deadline=None)
def test_fractions_are_read_back_as_written(number: Fraction) -> None:
    assert exact(str(number)) == number


def test_a_table_has_one_finite_worth_for_each_coalition() -> None:
    for length in (0, 1, 3, 2**21):
        with pytest.raises(ValueError, match=r"2\*\*n are needed"):
            agents_in(range(length))
    with pytest.raises(ValueError, match=r"the worth of \{Ann,Ben\} is nan"):
        worth_table(TRIO, lambda c: float("nan") if c == {"Ann", "Ben"} else 0.0)


@pytest.mark.parametrize("number", ["nan", "inf", "1/0", "", "four", "1e999999999", "1/2/3"])
def test_text_that_is_no_finite_number_is_refused_at_once(number: str) -> None:
    with pytest.raises(ValueError, match="the price is"):
        exact(number, "the price")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"A": 1, "A": 2}', "'A' occurs twice"),
        ('{"A": NaN}', "NaN is not a number"),
        ('{"A": 1', "Expecting"),
        ("[" * 200_000, "nested too deeply"),
    ],
)
def test_a_faulty_file_is_named_with_its_fault(tmp_path, text: str, complaint: str) -> None:
    path = tmp_path / "game.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=complaint) as fault:
        read_json(path)
    assert str(fault.value).startswith(str(path))
    assert "\n" not in str(fault.value)
