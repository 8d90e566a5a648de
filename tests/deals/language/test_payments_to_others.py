"""A payment to or by all others is the same as one of an equal part to or by each of them."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.deals.analysis.ability_to_pay import (
    Means,
    beyond_bound,
    unaffordable,
    unpayable,
)
from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.contract import sign
from shapley_coop.deals.language.clauses import Pay
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import read_proposal
from shapley_coop.deals.language.rules import DEAL_RULES, all_faults
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.deals.monitor import payments
from shapley_coop.deals.settlement import earnings, payoffs
from shapley_coop.deals.written.reading import read_words
from shapley_coop.games import Turn, load
from shapley_coop.questions.contract_propose import QUESTION as PROPOSE
from tests.deals.made_deals import AGENTS, TERMS, conditions, records
from tests.graphs.test_ability_to_pay import proposing
from tests.state.test_tools import at

SIDES = [("Ann", OTHERS), (OTHERS, "Ann")]
payers_and_payees = st.sampled_from(SIDES)


def spelt_out(pay: Pay) -> Deal:
    """The same without the quantifier: a clause for each of the others."""
    others = [a for a in AGENTS if a not in (pay.payer, pay.payee)]
    name = "payee" if pay.payee == OTHERS else "payer"
    part = {"amount": pay.amount / len(others)}
    return Deal(clauses=tuple(pay.model_copy(update={**part, name: a}) for a in others))


@st.composite
def quantified(draw: st.DrawFn) -> Pay:
    payer, payee = draw(payers_and_payees)
    often = ["once", "turn", *(["reward"] if payer != OTHERS else [])]
    basis: Any = draw(st.sampled_from(often))
    amount = Fraction(draw(st.integers(1, 60)), 60)
    return Pay(payer=payer, payee=payee, amount=amount, basis=basis, when=draw(conditions))


def no_norm(norm: str, total: Fraction) -> dict[str, Fraction]:
    raise AssertionError(norm)


@given(quantified(), records())
@settings(max_examples=60, deadline=None)
def test_it_settles_as_its_parts_do(pay: Pay, record: list[Turn]) -> None:
    ends = [
        payoffs(earnings(record, AGENTS), None, payments(deal, record), no_norm)
        for deal in (Deal(clauses=(pay,)), spelt_out(pay))
    ]
    assert ends[0] == ends[1]


@given(quantified())
@settings(max_examples=60, deadline=None)
def test_its_words_and_its_json_read_back(pay: Pay) -> None:
    deal = Deal(clauses=(pay,))
    read, written = read_words(deal.text(), TERMS), read_proposal(wire_form(deal), TERMS)
    assert not isinstance(read, Fault)
    assert not isinstance(written, Fault)
    assert read.text() == written.deal.text() == deal.text()
    assert (read.clauses[0].payer, read.clauses[0].payee) == (pay.payer, pay.payee)


@pytest.mark.parametrize(("payer", "payee"), SIDES)
@pytest.mark.parametrize("basis", ["once", "turn"])
def test_ability_to_pay_is_each_payers_own(payer: str, payee: str, basis: Any) -> None:
    means = Means(dict.fromkeys(AGENTS, Fraction(6)), Fraction(18), turns=2)
    for amount in (3, 6, 7, 12, 13):
        pay = Pay(payer=payer, payee=payee, amount=amount, basis=basis)
        parts = spelt_out(pay)
        alone = unaffordable({"c1": pay}, None, means)
        assert (alone is None) == (unaffordable(parts.pays, None, means) is None)
        due, spelt = (payments(deal, [_turn()]) for deal in (Deal(clauses=(pay,)), parts))
        held = dict.fromkeys(AGENTS, Fraction(0))
        assert (unpayable(due, held, means) is None) == (unpayable(spelt, held, means) is None)
        bounds = [
            beyond_bound(sign(put(deal, "Ann", 1), 1), means)
            for deal in (Deal(clauses=(pay,)), parts)
        ]
        assert bounds[0] == bounds[1]


def _turn() -> Turn:
    return {"turn": 1, "actions": {}, "rewards": dict.fromkeys(AGENTS, 0)}


@pytest.mark.parametrize(("payer", "payee"), [("Agent1", OTHERS), (OTHERS, "Agent1")])
def test_a_certificate_finds_the_same_incentives(payer: str, payee: str) -> None:
    game = load("public_goods", {"rounds": 1})
    ours = [payer.replace("Agent1", game.agents[0]), payee.replace("Agent1", game.agents[0])]
    when = {"last": {"agent": game.agents[0], "action": game.actions[game.agents[0]][0]}}
    rest = game.agents[1:]
    whole = {"kind": "pay", "payer": ours[0], "payee": ours[1], "amount": "1/2", "when": when}
    key = "payee" if ours[1] == OTHERS else "payer"
    parts = [{**whole, key: a, "amount": Fraction(1, 2 * len(rest))} for a in rest]
    found = [
        certify(Deal.model_validate({"clauses": clauses}), facts_of(game)).parties
        for clauses in ([whole], parts)
    ]
    assert found[0]
    assert found[0] == found[1]


def test_a_share_of_rewards_of_all_others_is_asked_back() -> None:
    pay = Pay(payer=OTHERS, payee="Ann", amount=Fraction(1, 2), basis="reward")
    fault = all_faults(DEAL_RULES, Deal(clauses=(pay,)), TERMS)
    assert fault is not None
    assert fault.feedback == ("c1 shares the rewards of several payers: write a clause for each.")


def test_an_offer_names_all_others_and_is_put_on_the_table() -> None:
    turn = at("public_goods", PROPOSE)
    one = turn.evaluated.agents[0]
    pay = {"kind": "pay", "payer": one, "payee": "everybody else", "amount": 1}
    found = proposing(turn, pay)
    assert not isinstance(found, Fault)
    assert found["deal"]["clauses"][0]["payee"] == OTHERS
