"""Norms by name, payoffs that sum exactly, and the axioms each norm keeps or breaks."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.amounts import normalise
from shapley_coop.credit.attribution import attribute_by, can_settle
from shapley_coop.credit.characteristic import Characteristic
from shapley_coop.credit.coalitions import Table, agents_in
from shapley_coop.credit.norms import NormMissing, norm, norms, surplus
from shapley_coop.credit.values.shapley import shapley
from shapley_coop.extension import Extension, Norm
from tests.coop_command import Coop, one_line

fractions = st.fractions(-100, 100, max_denominator=40)
tables = st.integers(1, 4).flatmap(lambda n: st.lists(fractions, min_size=1 << n, max_size=1 << n))
ESCAPE_ROOM = [0, -1, -1, 9]


def test_an_unknown_norm_is_answered_with_the_known_ones() -> None:
    with pytest.raises(NormMissing, match=r"no norm 'shapely': there are shapley, leave_one_out"):
        norm("shapely")
    assert all(norm(name).__doc__ for name in norms())


def test_a_norm_of_an_extension_that_was_removed_is_answered_with_its_name(
    monkeypatch: pytest.MonkeyPatch, coop: Coop
) -> None:
    monkeypatch.setattr("shapley_coop.credit.norms.installed", dict)
    refused = coop("run", "escape_room", "--norm", "banzhaf")
    assert one_line(refused, code=2).strip() == (
        "coop: norm: no norm 'banzhaf': there are shapley, leave_one_out, equal, proportional, "
        "and more if you restore the extension values"
    )


def test_a_norm_of_an_extension_is_a_choice_that_settles_and_never_replaces_the_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    added = {"first": Norm(f"{__name__}:all_to_the_first", most=3), "equal": Norm("nowhere:none")}
    foreign = Extension("foreign", "A norm.", norms=added)
    monkeypatch.setattr("shapley_coop.credit.norms.installed", lambda: {"foreign": foreign})
    assert [*norms()] == ["shapley", "leave_one_out", "equal", "proportional", "first"]
    assert norm("equal")(ESCAPE_ROOM) == [4.5, 4.5]
    assert (can_settle("first", 3), can_settle("first", 4)) == (True, False)
    of = Characteristic(["Alice", "Bob"], lambda c: Fraction(9 * (len(c) == 2)))
    assert attribute_by(of, "first").values == {"Alice": 9, "Bob": 0}


def all_to_the_first(table: Table) -> list[Fraction]:
    """Return the whole gain for the first agent."""
    return [surplus(table), *[Fraction(0)] * (agents_in(table) - 1)]


@pytest.mark.parametrize("name", sorted(norms().keys() - {"deegan_packel"}))
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
        ("leave_one_out", [10, 10]),
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


def test_beyond_the_exact_sizes_values_are_rounded_floats() -> None:
    table = np.random.default_rng(2).random(1 << 17)
    values = norm("shapley")(table)
    assert [float(value) for value in values] == pytest.approx(shapley(table).tolist(), abs=1e-9)
    assert all(10**9 % value.denominator == 0 for value in values)
