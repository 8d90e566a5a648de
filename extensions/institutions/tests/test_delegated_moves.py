"""How a move that is delegated may be written, and where the workflow differs from `llm_only`."""

from dataclasses import replace

import pytest

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.wire import scan
from shapley_coop.extensions.institutions.choosing import find_choice
from shapley_coop.extensions.institutions.pages.mediation import CHOOSE
from shapley_coop.seats.records import Answer
from shapley_coop.state.judging import take
from tests.deals.language.sloppy_answers import Written
from tests.deals.language.test_answers import turn

MOVES = [
    Written("I delegate", "delegate", "I will delegate my move to the mediator.", "delegate"),
    Written("delegate my move", "delegate", "<ACTION>delegate my move</ACTION>", "delegate"),
    Written("to whom", "delegate", "<ACTION>Delegate to the mediator.</ACTION>", "delegate"),
    Written("let it play", "delegate", "I'd say yes.\nI let the mediator play for me.", "delegate"),
    Written("another plays", "delegate", "<ACTION>let Ann play</ACTION>", "ACTION"),
    Written("both at once", "delegate", "<ACTION>delegate or defect</ACTION>", "ACTION"),
]


def verdict(text: str) -> str:
    asked = replace(turn("act"), question=CHOOSE)
    said = take(asked, "Bob", Answer(text))
    if isinstance(said, Fault):
        return said.label
    return str(find_choice(asked.evaluated, "Bob", scan(text)))


@pytest.mark.parametrize("one", MOVES, ids=lambda one: one.what)
def test_each_way_of_delegating_has_its_verdict(one: Written) -> None:
    assert verdict(one.text) == one.verdict
