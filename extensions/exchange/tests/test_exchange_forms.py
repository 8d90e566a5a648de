"""The form of a message about tasks: its schema, its tags and its template."""

import json
from typing import Any

import pytest

from shapley_coop.deals.language.labels import LABELS as EXPLAINED
from shapley_coop.extensions.exchange import templates
from shapley_coop.extensions.exchange.domain.registry import check_words
from shapley_coop.extensions.exchange.messages.allocation import shape
from shapley_coop.extensions.exchange.messages.checking import LABELS
from shapley_coop.extensions.exchange.questions.exchange import Trade
from shapley_coop.games import GameError
from shapley_coop.seats.answers import tag_fields
from shapley_coop.seats.bounds import schema_for
from shapley_coop.seats.returned import fields_of
from tests.prompts.test_hidden_text import LEFT_OUT, REFUSED
from tests.questions.test_questions import every_field_is_named, every_tag_is_taught
from tests.seats.test_bounds import FACTS, OWN


def test_tasks_are_held_by_agents_and_not_by_everyone() -> None:
    form = str(schema_for(OWN, {**FACTS, "ask": "exchange"}, carries=False))
    assert "['Ann', 'Ben']" in form
    assert "everyone" not in form


@pytest.mark.parametrize("allocation", [[{"agent": "A", "tasks": ["one"]}], {"A": ["one"]}])
def test_an_allocation_in_either_form_becomes_a_proposal_and_comes_back_in_a_retry(
    allocation: Any,
) -> None:
    text = tag_fields("exchange", {"decision": "propose", "allocation": allocation})
    assert text == '<PROPOSAL>{"A": ["one"]}</PROPOSAL>'
    held = [{"agent": "A", "tasks": ["one"]}]
    assert fields_of("exchange", text) == {"decision": "propose", "allocation": held}


def test_a_refusal_shows_an_allocation_in_the_form_of_the_answer() -> None:
    allocation = Trade.written()["allocation"]
    told = allocation.renamed("allocation", f"write {shape(['Ann', 'Ben'])}. Or <PROPOSAL>.")
    listed = [{"agent": "Ann", "tasks": ["…"]}, {"agent": "Ben", "tasks": ["…"]}]
    written = json.dumps(listed, ensure_ascii=False)
    assert told == f"write `allocation`: {written}. Or `allocation`."


def test_no_part_of_an_allocation_is_dropped_without_a_word() -> None:
    twice = [{"agent": "A", "tasks": ["one"]}, {"agent": "A", "tasks": ["two"]}]
    for allocation in (twice, "A does one", [*twice, "two"]):
        text = tag_fields("exchange", {"decision": "propose", "allocation": allocation})
        assert text == f"<PROPOSAL>{json.dumps(allocation)}</PROPOSAL>"


def test_every_tag_stands_in_the_template_but_of_speech_as_all_is_heard() -> None:
    told = {"exchange": templates.TABLE + templates.EXCHANGE, "consider": templates.CONSIDER}
    for name, text in told.items():
        every_tag_is_taught(name, text, "speech")
        every_field_is_named(name)


def test_every_label_of_a_refused_proposal_is_explained() -> None:
    assert {*LABELS} <= {label for labels in EXPLAINED.values() for label in labels}


@pytest.mark.parametrize("hidden", REFUSED + LEFT_OUT, ids=ascii)
def test_no_words_of_a_task_hide_anything(hidden: str) -> None:
    for name in (f"Bob{hidden}", f"B{hidden}ob", hidden):
        with pytest.raises(GameError, match="printable"):
            check_words(name)
