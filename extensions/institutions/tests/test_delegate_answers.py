"""Votes and signatures: each way of writing one has its verdict, and thoughts bind nobody."""

from pathlib import Path
from typing import Any

import pytest

from extensions.institutions.tests.delegate_answers import SIGNATURES, VOTES
from shapley_coop.deals.language.faults import Fault
from shapley_coop.extensions.institutions import templates
from shapley_coop.extensions.institutions.delegates.ratify import QUESTION as RATIFY
from shapley_coop.seats.schema import schema_of
from tests.deals.language.sloppy_answers import Written
from tests.deals.language.test_answers import (
    PAIR,
    as_written_in_the_table,
    judged,
    on_a_page,
    verdict,
)
from tests.deals.language.test_thoughts import OPENED
from tests.questions.test_questions import every_field_is_named, every_tag_is_taught

WHOLE = Path(__file__).with_name("delegate_answers.md")
GROUPS = [{"members": PAIR, "candidates": PAIR, "delegate": "", "votes": {}}]
WEIGHED = {
    "ratify": ("<ACTION>leave</ACTION>", "<REJECT>"),
    "elect": ("<ACTION>Alice</ACTION>", "<ACTION>Bob</ACTION>"),
}
"""Act → what is weighed in thoughts, and dropped; and the answer."""


def of_a_member(one: Written) -> tuple[str, str]:
    """How a vote or a signature is read, or the label and the words of a refusal."""
    if one.act != "elect":
        return verdict(one, groups=GROUPS)
    said = judged("elect", one.text, groups=GROUPS)
    return (said.label, said.feedback) if isinstance(said, Fault) else (said["choice"], "")


@pytest.mark.parametrize("one", [*VOTES, *SIGNATURES], ids=lambda one: one.what)
def test_each_way_of_writing_an_answer_has_its_verdict(one: Written) -> None:
    as_written_in_the_table(one, *of_a_member(one))


def test_every_verdict_on_votes_and_signatures_is_as_reviewed() -> None:
    on_a_page(WHOLE, "members", [*VOTES, *SIGNATURES], of_a_member)


@pytest.mark.parametrize("act", WEIGHED)
def test_what_is_weighed_between_marks_does_not_bind(act: str) -> None:
    weighed, answer = WEIGHED[act]
    for _, opens, closes in (param.values for param in OPENED):
        text = f"{opens} I could write {weighed}, but no.\n{closes}\n\n{answer}"
        assert judged(act, text, groups=GROUPS) == judged(act, answer, groups=GROUPS)


@pytest.mark.parametrize(("name", "template"), [("elect", "ELECT"), ("ratify", "RATIFY")])
def test_every_tag_of_an_answer_stands_in_the_template_of_its_letter(
    name: str, template: str
) -> None:
    every_tag_is_taught(name, getattr(templates, template))
    every_field_is_named(name)


def test_the_members_answer_to_a_deal_has_one_vocabulary() -> None:
    """The letter, the schema, the form: an answer that the schema allows says something."""
    schema: Any = schema_of({"ask": "ratify"})
    written = {
        one: RATIFY.answer.tagged({"decision": one}) for one in ("accept", "reject", "leave")
    }
    assert schema["properties"]["decision"]["enum"] == [*written]
    for tags in written.values():
        assert tags in templates.RATIFY
    assert RATIFY.answer.declined({}) == {"decision": "reject"}
