"""What embedded agents read of an offer and of a contract, in each form that letters give it."""

from typing import Any

import pytest

from shapley_coop.deals import Deal
from shapley_coop.games.foresight import Missing
from shapley_coop.seats.embedded.letter_facts import clauses_in, offered, standing_in, terms_of

DUTY = {"kind": "do", "agent": "Ann", "action": "pull", "when": "always"}
PAYMENT = {"kind": "pay", "payer": "Ben", "payee": "Ann", "amount": "2"}
KNOWN: dict[str, Any] = {
    "agents": ["Ann", "Ben"],
    "actions": {"Ann": ["pull", "wait"], "Ben": ["pull", "wait"]},
    "turns": 4,
}
CONTRACTS = {
    "by id": {"clauses": {"c1": DUTY, "c4": PAYMENT}},
    "in order with ids": {"clauses": [DUTY, PAYMENT], "ids": ["c1", "c4"]},
    "in order with words": {
        "clauses": [DUTY, PAYMENT],
        "in_words": "c1. Ann does pull.\nc4. Ben pays Ann 2.",
    },
}


@pytest.mark.parametrize("form", CONTRACTS)
def test_a_contract_is_read_with_the_ids_of_its_clauses(form: str) -> None:
    facts = {**KNOWN, "contract": CONTRACTS[form]}
    standing = standing_in(facts)
    assert list(standing) == ["c1", "c4"]
    assert clauses_in(facts["contract"]) == list(standing.values())
    assert terms_of(facts).droppable == ("c4",)


def test_without_a_contract_nothing_stands() -> None:
    assert standing_in(KNOWN) == {}
    assert clauses_in(None) == []


def test_a_contract_without_ids_is_no_contract_to_amend() -> None:
    facts = {**KNOWN, "contract": {"clauses": [DUTY]}}
    assert len(clauses_in(facts["contract"])) == 1
    with pytest.raises(Missing, match="in_words"):
        standing_in(facts)
    with pytest.raises(Missing, match="clauses"):
        clauses_in({"in_words": "c1. Ann does pull."})


def test_what_an_offer_drops_is_read_from_its_list_before_its_words() -> None:
    words = "c1. Ann does pull at every turn.\nIt ends c3."
    for drops in ([], ["c4"]):
        offer = {"clauses": [DUTY], "drops": drops, "in_words": words}
        deal = offered({**KNOWN, "offer": offer}, [])
        assert isinstance(deal, Deal)
        assert list(deal.drops) == drops


def test_an_offer_without_its_list_is_read_from_its_words() -> None:
    said = Deal.model_validate({"clauses": [DUTY], "drops": ["c4"]})
    offer = {"clauses": [DUTY], "in_words": said.text()}
    deal = offered({**KNOWN, "offer": offer}, [])
    assert isinstance(deal, Deal)
    assert list(deal.drops) == ["c4"]
