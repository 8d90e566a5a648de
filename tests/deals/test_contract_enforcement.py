"""Deposits: taken once, released once, and nothing is made or lost on the way."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.deals.enforcement import (
    ESCROW,
    Enforcement,
    deposits,
    injured_by,
    net,
    releases,
)
from shapley_coop.deals.monitor import Breach
from shapley_coop.state.storage.ledger import Key, Ledger, Line
from tests.books import posted

AGENTS = ["Ann", "Ben", "Cid"]


def breach(agent, turn, clause="c1"):
    return Breach(clause, agent, turn, f"turn {turn}: {agent} did it")


def test_whoever_keeps_the_contract_has_its_deposit_back_at_the_end():
    assert releases(AGENTS, 10, [], over=False) == []
    returned = releases(AGENTS, 10, [], over=True)
    assert net([*deposits(AGENTS, 10), *returned], AGENTS) == dict.fromkeys(AGENTS, 0)


def test_a_forfeited_deposit_goes_to_those_who_kept_the_contract():
    taken = deposits(AGENTS, 9)
    forfeited = releases(AGENTS, 9, [breach("Ben", 2)], over=False)
    (move, other) = forfeited[0].moves
    assert {move.payee, other.payee} == {"Ann", "Cid"}
    assert {move.amount, other.amount} == {5, 4}
    assert move.memo == "deposit forfeited by c1, turn 2"
    over = releases(AGENTS, 9, [breach("Ben", 2)], over=True)
    assert net([*taken, *over], AGENTS) == {"Ann": 5, "Ben": -9, "Cid": 4}


def test_the_first_breach_counts_and_later_ones_find_no_deposit():
    late = [breach("Ben", 5), breach("Ben", 2), breach("Ann", 5)]
    postings = {p.clause: p for p in releases(AGENTS, 9, late, over=True)}
    assert postings["d2"].moves[0].memo.endswith("turn 2")
    assert {m.payee for m in postings["d2"].moves} == {"Ann", "Cid"}
    assert {m.payee for m in postings["d1"].moves} == {"Cid"}


def test_where_nobody_has_kept_the_contract_the_deposits_change_hands():
    assert injured_by("Ann", frozenset(AGENTS), AGENTS) == ["Ben", "Cid"]
    both = releases(AGENTS[:2], 9, [breach("Ann", 1), breach("Ben", 1)], over=True)
    assert net([*deposits(AGENTS[:2], 9), *both], AGENTS[:2]) == {"Ann": 0, "Ben": 0}


breaches_ = st.lists(st.builds(breach, st.sampled_from(AGENTS), st.integers(1, 9)), max_size=8)


@given(breaches_, st.integers(0, 10**9))
def test_nothing_is_made_or_lost_whoever_breaks_what(broken, amount):
    postings = [*deposits(AGENTS, amount), *releases(AGENTS, amount, broken, over=True)]
    moves = [move for posting in postings for move in posting.moves]
    balance = {ESCROW: 0}
    for move in moves:
        balance[move.payer] = balance.get(move.payer, 0) - move.amount
        balance[move.payee] = balance.get(move.payee, 0) + move.amount
    assert balance[ESCROW] == 0
    assert sum(net(postings, AGENTS).values()) == 0
    assert len({(p.kind, p.clause, p.turn) for p in postings}) == len(postings)


@given(breaches_, st.integers(1, 9), st.integers(1, 10**6))
def test_what_was_released_stays_released_as_the_game_goes_on(broken, now, amount):
    early = releases(AGENTS, amount, [b for b in broken if b.turn <= now], over=False)
    late = releases(AGENTS, amount, broken, over=True)
    assert all(posting in late for posting in early)


def test_a_deposit_can_never_be_released_twice(tmp_path):
    ledger = Ledger(f"sqlite:///{tmp_path / 'books.sqlite'}")

    def post(postings):
        return [
            posted(ledger, Key("e1", p.kind, p.clause, p.turn), [Line(*move) for move in p.moves])
            for p in postings
        ]

    assert post(deposits(AGENTS, 9)) == ["posted"] * 3
    assert post(releases(AGENTS, 9, [breach("Ben", 2)], over=False)) == ["posted"]
    # Another branch of the same episode, in which nobody broke anything.
    assert post(releases(AGENTS, 9, [], over=True)) == ["posted", "refused", "posted"]
    assert post(releases(AGENTS, 9, [breach("Ben", 2)], over=True)) == ["already"] * 3
    assert ledger.balances("e1") == {"Ann": 5, "Ben": -9, "Cid": 4, ESCROW: 0}


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({}, Enforcement("enforced", None)),
        ({"enforcement": "escrow", "deposit": ""}, Enforcement("escrow", None)),
        ({"enforcement": "escrow", "deposit": "2.5"}, Enforcement("escrow", Fraction(5, 2))),
        ({"enforcement": "notional", "deposit": 3}, Enforcement("notional", Fraction(3))),
    ],
)
def test_the_settings_of_a_run_say_how_its_contract_is_enforced(settings, found):
    assert Enforcement.of(settings) == found


@pytest.mark.parametrize(
    "settings", [{"enforcement": "police"}, {"deposit": -1}, {"deposit": "much"}]
)
def test_what_is_no_enforcement_is_refused(settings):
    with pytest.raises(ValueError, match=r"not an enforcement|deposit|not a finite number"):
        Enforcement.of(settings)
