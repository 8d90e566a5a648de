"""Nobody signs what a payer could never pay: in every bargaining, before play and after it."""

import json

import pytest

from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.games import names
from shapley_coop.questions import answer, contract_propose, propose, propose_split
from shapley_coop.seats.records import Answer
from shapley_coop.state.judging import take
from tests.state.test_tools import at

OFFER, ANSWER = propose.QUESTION, answer.QUESTION
PROPOSE, SPLITTING = contract_propose.QUESTION, propose_split.QUESTION

MOST = {
    "escape_room": "10",
    "prisoners_dilemma": None,
    "public_goods": None,
    "task_exchange": "1",
}
"""Game → what its first agent can have at most; None where it is not looked at."""


def proposing(turn, *clauses):
    """What comes of an offer by the first agent."""
    text = f"<PROPOSAL>{json.dumps({'clauses': list(clauses)})}</PROPOSAL>"
    return take(turn, turn.evaluated.agents[0], Answer(text=text))


def paying(turn, amount, **more):
    """A payment by the first agent to the second."""
    payer, payee, *_ = turn.evaluated.agents
    return {"kind": "pay", "payer": payer, "payee": payee, "amount": amount, **more}


@pytest.mark.parametrize("asking", [OFFER, PROPOSE], ids=["bargaining", "contracts"])
@pytest.mark.parametrize("game", [game for game in MOST if game in names()])
def test_five_thousand_by_one_who_can_never_have_it_is_refused(game, asking):
    turn = at(game, asking)
    found = proposing(turn, paying(turn, 5000))
    assert isinstance(found, Fault)
    assert found.label == "ABLE"
    assert f"{turn.evaluated.agents[0]} can never pay 5000" in found.feedback


@pytest.mark.parametrize("game", [g for g, most in MOST.items() if most and g in names()])
def test_all_that_it_can_have_may_be_promised_and_no_more(game):
    turn = at(game, OFFER)
    assert not isinstance(proposing(turn, paying(turn, MOST[game])), Fault)
    found = proposing(turn, paying(turn, f"{MOST[game]}.000001"))
    assert isinstance(found, Fault)
    assert f"it can have at most {MOST[game]}." in found.feedback


def test_what_is_received_or_split_counts():
    turn = at("escape_room", OFFER)
    one, other = turn.evaluated.agents
    back = {"kind": "pay", "payer": other, "payee": one, "amount": 10}
    assert not isinstance(proposing(turn, paying(turn, 20), back), Fault)
    halves = {"kind": "share", "fractions": {one: "1", other: "0"}}
    assert not isinstance(proposing(turn, paying(turn, 9), halves), Fault)


def test_nobody_accepts_what_another_could_never_pay():
    deal = Deal.model_validate({"clauses": [paying(at("escape_room"), 5000)]})
    offer = {"revision": 1, "by": "Alice", "deal": deal.record(), "hash": deal.hash()}
    turn = at("escape_room", ANSWER, offer={**offer, "accepted": ["Alice"]})
    found = take(turn, "Bob", Answer(text="<ACCEPT>"))
    assert isinstance(found, Fault)
    assert found.label == "ABLE"


def test_after_the_game_a_payer_gives_no_more_than_it_could_have_had():
    over = [{"Alice": "door", "Bob": "lever"}]
    turn = at("escape_room", SPLITTING, over, accounts={"total": "9"})
    assert not isinstance(proposing(turn, paying(turn, "5.5")), Fault)
    assert isinstance(proposing(turn, paying(turn, 5000)), Fault)
    several = [paying(turn, 4) for _ in range(3)]
    found = proposing(turn, *several)
    assert isinstance(found, Fault), "together they are 12"
    assert "c1 and c2 and c3" in found.feedback


def test_a_loss_may_be_shared():
    """Both lost; whoever lost less takes over a part, though it has nothing."""
    over = [{"Alice": "lever", "Bob": "lever"}]
    turn = at("escape_room", SPLITTING, over, accounts={"total": "-2"})
    assert not isinstance(proposing(turn, paying(turn, "0.5")), Fault)
