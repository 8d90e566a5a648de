"""What embedded agents read of an offer and of a contract, in each form that letters give it."""

from typing import Any

import pytest

from shapley_coop.deals.language.deal import Deal
from shapley_coop.games.foresight import Missing
from shapley_coop.seats.embedded.letter_facts import deal_in, standing_in, terms_of
from shapley_coop.seats.embedded.offered import offered_deal

DUTY = {"kind": "do", "agent": "Ann", "action": "pull", "when": "always"}
PAYMENT = {"kind": "pay", "payer": "Ben", "payee": "Ann", "amount": "2"}
KNOWN: dict[str, Any] = {
    "agents": ["Ann", "Ben"],
    "actions": {"Ann": ["pull", "wait"], "Ben": ["pull", "wait"]},
    "turns": 4,
}
CONTRACT = {"clauses": [DUTY, PAYMENT], "ids": ["c1", "c4"]}


def test_a_contract_is_read_with_the_ids_of_its_clauses() -> None:
    facts = {**KNOWN, "contract": CONTRACT}
    standing = standing_in(facts)
    assert list(standing) == ["c1", "c4"]
    assert deal_in(CONTRACT).clauses == tuple(standing.values())
    assert terms_of(facts).droppable == ("c4",)


def test_without_a_contract_nothing_stands() -> None:
    assert standing_in(KNOWN) == {}
    assert deal_in(None) == Deal()


def test_a_contract_without_ids_is_no_contract_to_amend() -> None:
    facts = {**KNOWN, "contract": {"clauses": [DUTY]}}
    assert len(deal_in(facts["contract"]).clauses) == 1
    with pytest.raises(Missing, match="ids"):
        standing_in(facts)
    with pytest.raises(Missing, match="clauses"):
        deal_in({"in_words": "c1. Ann does pull."})


def test_what_an_offer_drops_is_read_from_its_list() -> None:
    for drops in ([], ["c4"]):
        offer = {"clauses": [DUTY], "drops": drops}
        deal = offered_deal({**KNOWN, "offer": offer}, [])
        assert isinstance(deal, Deal)
        assert list(deal.drops) == drops
