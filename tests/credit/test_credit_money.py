"""Whole micro-units: splits that sum exactly, transfers that settle, limits that hold."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.amounts import MICRO, apportion, from_micro, round_payoffs, to_micro
from shapley_coop.credit.transfers import (
    CONSTRAINTS,
    cap,
    constrain,
    constraint,
    limited_liability,
    non_transferable,
    tax,
    transfers,
)

unhurried = settings(deadline=None, max_examples=100)
totals = st.integers(-(10**12), 10**12)
weights = st.lists(st.fractions(0, 100, max_denominator=99), min_size=1, max_size=8).filter(any)
names = st.sampled_from(["Ann", "Ben", "Cho", "Dan", "Eve"])
accounts = st.dictionaries(names, st.integers(-(10**7), 10**7), min_size=2)

ESCAPE = {"Alice": 10 * MICRO, "Bob": -1 * MICRO}
FAIR = {"Alice": 4_500_000, "Bob": 4_500_000}


@st.composite
def settlements(draw: st.DrawFn) -> tuple[dict[str, int], dict[str, int]]:
    """What was earned, and another division of the same sum."""
    earned = draw(accounts)
    due = {name: draw(st.integers(-(10**7), 10**7)) for name in earned}
    last = list(due)[-1]
    due[last] += sum(earned.values()) - sum(due.values())
    return earned, due


constraints = st.lists(
    st.one_of(
        st.builds(cap, st.integers(0, 10)),
        st.builds(limited_liability),
        st.builds(non_transferable, st.fractions(0, 1)),
        st.builds(tax, st.fractions(0, 1), st.just("Ann")),
    ),
    max_size=4,
)


@pytest.mark.parametrize("amount", [4.5, "4.5", "9/2", Fraction(9, 2)])
def test_an_amount_is_the_same_however_it_is_written(amount: float | str | Fraction) -> None:
    assert to_micro(amount) == 4_500_000
    assert from_micro(to_micro(amount)) == Fraction(9, 2)


def test_amounts_go_to_the_nearest_micro_unit_and_ties_to_the_even_one() -> None:
    assert [to_micro(Fraction(n, 2 * MICRO)) for n in (1, 3, -1, -3)] == [0, 2, 0, -2]
    assert to_micro("1/3") == 333_333


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), "", "ten", None])
def test_an_amount_that_is_no_number_is_refused(amount: object) -> None:
    with pytest.raises(ValueError, match="the amount is"):
        to_micro(amount)  # type: ignore[arg-type]


@given(totals, weights)
@unhurried
def test_parts_sum_exactly_and_miss_their_quota_by_less_than_one(
    total: int, weights: list[Fraction]
) -> None:
    parts = apportion(total, weights)
    assert sum(parts) == total
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - total * weight / sum(weights)) < 1


@given(totals, weights)
@unhurried
def test_a_debt_is_divided_as_its_opposite_would_be(total: int, weights: list[Fraction]) -> None:
    assert apportion(-total, weights) == [-part for part in apportion(total, weights)]


def test_what_is_left_goes_to_the_largest_remainder_and_ties_to_the_first() -> None:
    assert apportion(100, [1, 1, 1]) == [34, 33, 33]
    assert apportion(10, [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)]) == [2, 3, 5]
    assert apportion(7, [0, 1]) == [0, 7]


def test_a_negative_weight_has_a_negative_part() -> None:
    assert apportion(10, [-1, 3]) == [-5, 15]


@pytest.mark.parametrize("weights", [[], [0, 0], [1, -1], [-2, 1]])
def test_weights_without_a_positive_sum_are_refused(weights: list[int]) -> None:
    with pytest.raises(ValueError, match="a sum above 0"):
        apportion(5, weights)


@given(st.lists(st.fractions(-50, 50), min_size=1, max_size=8))
@unhurried
def test_rounded_payoffs_sum_to_the_rounded_total(payoffs: list[Fraction]) -> None:
    total = to_micro(sum(payoffs))
    rounded = round_payoffs(payoffs, total)
    assert sum(rounded) == total
    assert all(abs(r - p * MICRO) <= 1 for r, p in zip(rounded, payoffs, strict=True))


def test_payoffs_that_do_not_sum_to_the_total_are_refused() -> None:
    with pytest.raises(ValueError, match=r"the payoffs sum to 2\.0, but the total is 3\.0"):
        round_payoffs([Fraction(1), Fraction(1)], 3 * MICRO)


@given(settlements())
@unhurried
def test_transfers_turn_what_was_earned_into_what_is_due(
    settlement: tuple[dict[str, int], dict[str, int]],
) -> None:
    earned, due = settlement
    balance = dict(earned)
    paid = transfers(earned, due)
    for payment in paid:
        assert payment.amount > 0
        balance[payment.payer] -= payment.amount
        balance[payment.payee] += payment.amount
    assert balance == due
    assert len(paid) < len(earned)
    assert not {payment.payer for payment in paid} & {payment.payee for payment in paid}


@given(settlements())
@unhurried
def test_transfers_do_not_depend_on_the_order_of_the_agents(
    settlement: tuple[dict[str, int], dict[str, int]],
) -> None:
    earned, due = settlement
    reordered = dict(sorted(earned.items(), reverse=True))
    assert transfers(earned, due) == transfers(reordered, due)


def test_accounts_that_do_not_match_are_refused() -> None:
    with pytest.raises(ValueError, match="Bob: in only one of earned and due"):
        transfers({"Alice": 1, "Bob": 0}, {"Alice": 1})
    with pytest.raises(
        ValueError, match="the due amounts sum to 3 micro-units and the earnings to 1"
    ):
        transfers({"Alice": 1}, {"Alice": 3})


@given(settlements(), constraints)
@unhurried
def test_constraints_create_no_money_and_reverse_no_payment(settlement, limits) -> None:
    earned, due = settlement
    if "Ann" not in earned:
        earned, due = {"Ann": 0, **earned}, {"Ann": 0, **due}
    allowed = constrain(earned, due, limits)
    assert sum(allowed.values()) == sum(earned.values())
    for agent in earned.keys() - {"Ann"}:
        wanted, got = due[agent] - earned[agent], allowed[agent] - earned[agent]
        assert min(wanted, 0) <= got <= max(wanted, 0)


@given(settlements())
@unhurried
def test_under_limited_liability_nobody_ends_below_zero_by_paying(settlement) -> None:
    earned, due = settlement
    after = constrain(earned, due, [limited_liability()])
    assert all(after[agent] >= min(earned[agent], 0) for agent in earned)


def test_a_cap_cuts_the_payment_and_with_it_what_is_received() -> None:
    earned = {"A": 10 * MICRO, "B": 0, "C": 0}
    due = {"A": 4 * MICRO, "B": 4 * MICRO, "C": 2 * MICRO}
    assert constrain(earned, due, [cap(3)]) == {"A": 7 * MICRO, "B": 2 * MICRO, "C": MICRO}
    assert constrain(earned, due, [cap(6)]) == due


def test_the_part_that_cannot_be_transferred_stays() -> None:
    assert constrain(ESCAPE, FAIR, [non_transferable("0.6")]) == {
        "Alice": 6 * MICRO,
        "Bob": 3 * MICRO,
    }


def test_a_tax_takes_its_part_of_what_is_received() -> None:
    earned, due = {**ESCAPE, "treasury": 0}, {**FAIR, "treasury": 0}
    assert constrain(earned, due, [tax("0.2")]) == {
        "Alice": 4_500_000,
        "Bob": 3_400_000,
        "treasury": 1_100_000,
    }


def test_constraints_apply_in_the_order_given() -> None:
    earned, due = {**ESCAPE, "treasury": 0}, {**FAIR, "treasury": 0}
    assert constrain(earned, due, [cap(5), tax("0.1")])["treasury"] == 500_000
    assert constrain(earned, due, [tax("0.1"), cap(5)])["Alice"] == 5_000_000


def test_constraints_are_found_by_name_with_plain_settings() -> None:
    plain = {
        "cap": {"limit": "2.5"},
        "limited_liability": {},
        "non_transferable": {"part": 0.25},
        "tax": {"rate": "1/10", "collector": "Bob"},
    }
    assert plain.keys() == CONSTRAINTS.keys()
    for name, settings_ in plain.items():
        after = constrain(ESCAPE, FAIR, [constraint(name, **settings_)])
        assert sum(after.values()) == 9 * MICRO


@pytest.mark.parametrize(
    ("name", "settings_", "complaint"),
    [
        ("ceiling", {}, "choose cap, limited_liability"),
        ("cap", {}, "missing a required argument"),
        ("cap", {"most": 3}, "its settings: limit"),
        ("cap", {"limit": -1}, "0 or more"),
        ("tax", {"rate": 1.5}, "between 0 and 1"),
        ("non_transferable", {"part": "half"}, "a finite number"),
    ],
)
def test_a_constraint_that_makes_no_sense_is_refused(
    name: str, settings_: dict, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        constraint(name, **settings_)


def test_a_tax_needs_someone_to_collect_it() -> None:
    with pytest.raises(ValueError, match="'treasury' has no account"):
        constrain(ESCAPE, FAIR, [tax("0.1")])
