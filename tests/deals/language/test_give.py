"""Goods that change hands by a deal: read, checked, handed over once, and kept to."""

import json
from typing import Any

import pytest

from shapley_coop.deals.contract import amend, sign
from shapley_coop.deals.goods import ungivable
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import read_proposal
from shapley_coop.deals.language.rules import DEAL_RULES, all_faults
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.deals.monitor import Monitor
from shapley_coop.deals.written.reading import read_words
from shapley_coop.seats.schema import schema_of

ACTS = {"Ann": ["keep", "go"], "Ben": ["keep", "go"]}
TERMS = Terms(["Ann", "Ben"], ACTS, turns=3, goods=("red wool", "salt"))
GO = {"last": {"agent": "Ben", "action": "go"}}
GIVE = {"kind": "give", "giver": "Ann", "receiver": "Ben", "good": "salt", "quantity": 2}


def read(*clauses: dict[str, Any], terms: Terms = TERMS) -> Deal | Fault:
    found = read_proposal({"clauses": list(clauses)}, terms)
    if isinstance(found, Fault):
        return found
    return all_faults(DEAL_RULES, found.deal, terms) or found.deal


def sound(*clauses: dict[str, Any]) -> Deal:
    deal = read(*clauses)
    assert isinstance(deal, Deal)
    return deal


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        (GIVE, "c1. Ann gives Ben 2 salt, once."),
        ({**GIVE, "good": "Red Wool", "when": GO}, "c1. Ann gives Ben 2 red wool, once, if Ben"),
        ({**GIVE, "when": {"turn": 2}}, "c1. Ann gives Ben 2 salt, once, at turn 2."),
        ({"kind": "give", "from": "Ann", "to": "Ben", "good": "salt", "quantity": "2"}, "c1. Ann"),
    ],
)
def test_a_gift_is_read_told_in_english_and_read_back(clause: dict[str, Any], words: str) -> None:
    deal = sound(clause)
    assert deal.text().startswith(words)
    assert read_words(deal.text(), TERMS) == deal
    assert read(*wire_form(deal)["clauses"]) == deal
    assert Deal.model_validate(json.loads(json.dumps(deal.record()))).hash() == deal.hash()


@pytest.mark.parametrize(
    ("change", "label", "why"),
    [
        ({"good": "gold"}, "GIVE", "c1 gives gold: the goods are red wool, salt."),
        ({"quantity": 0}, "GIVE", "c1 gives 0 salt: give 1 or more."),
        ({"receiver": "Ann"}, "GIVE", "c1: Ann gives to itself: name another receiver."),
        ({"when": {"earned": "Ben", "at_least": 1}}, "GIVE", "c1 depends on rewards"),
        ({"receiver": "Eve"}, "NAME", "c1 names Eve"),
        ({"when": {"turn": 4}}, "TURN", "c1 names turn 4"),
        ({"quantity": 1.5}, "CLAUSE", "1.5 is no whole number"),
        ({"amount": 3}, "CLAUSE", "there is no such key here"),
    ],
)
def test_what_is_no_gift_is_asked_back_in_words(change: Any, label: str, why: str) -> None:
    found = read({**GIVE, **change})
    assert isinstance(found, Fault)
    assert found.label == label
    assert why in found.feedback


def test_where_there_are_no_goods_nothing_can_be_given_and_nobody_is_told_of_it() -> None:
    bare = Terms(["Ann", "Ben"], ACTS, turns=3)
    found, unknown = read(GIVE, terms=bare), read({"kind": "lend"}, terms=bare)
    assert isinstance(found, Fault)
    assert isinstance(unknown, Fault)
    assert found.feedback == "c1 gives salt: nothing can change hands in this game."
    assert "give" not in unknown.feedback
    shown = [json.dumps(schema_of({"ask": "propose", **more})) for more in ({}, {"goods": ["x"]})]
    assert ["receiver" in one for one in shown] == [False, True]


def test_it_falls_due_once_by_what_is_done_in_the_very_turn() -> None:
    monitor = Monitor(sound({**GIVE, "when": GO}))
    played = [{}, {"Ben": "go"}, {"Ben": "go"}]
    due = []
    for number, actions in enumerate(played, start=1):
        turn: Any = {"turn": number, "actions": actions, "rewards": {}}
        due.append([x.quantity for x in monitor.handing_over(turn)])
        assert monitor.verdicts(3) == {"c1": "satisfied" if number > 2 else "pending"}
        monitor.observe(turn)
    assert due == [[], [2], []]
    assert [(x.turn, x.receiver) for x in monitor.handovers] == [(2, "Ben")]


def test_nobody_promises_more_of_a_good_than_it_holds_standing_promises_included() -> None:
    holds = {"Ann": {"salt": 3}, "Ben": {"salt": 0}}
    twice = sign(put(sound(GIVE, {**GIVE, "when": GO}), "Ann", 1), 1)
    found = ungivable(twice, frozenset(), holds)
    assert found is not None
    assert found.feedback == "c1 and c2: Ann cannot give 4 salt: it holds 3."
    standing = sign(put(sound(GIVE), "Ann", 1), 1)
    amended = amend(standing, put(sound(GIVE), "Ann", 1), 2)
    assert ungivable(amended, frozenset(), holds) is not None
    assert ungivable(amended, frozenset({"c1"}), holds) is None
