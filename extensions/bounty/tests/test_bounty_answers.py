"""Answers to a bounty's split: each way of writing one has its verdict."""

from pathlib import Path

import pytest

from extensions.bounty.tests.bounty_answers import BOUNTIES
from shapley_coop.deals.language.clauses import Share
from shapley_coop.extensions.bounty import templates
from shapley_coop.state.run_config import RunConfig
from tests.deals.language.sloppy_answers import Written
from tests.deals.language.test_answers import as_written_in_the_table, on_a_page, verdict
from tests.questions.test_questions import every_field_is_named, every_tag_is_taught

WHOLE = Path(__file__).with_name("bounty_answers.md")
BOUNTY = RunConfig(
    game="delivered",
    params={"artefacts": {"Ada": {"code": 3}, "Bob": {"code": 1}}, "currency": "EUR"},
)
COUNTED = (Share(fractions={"Ada": 0.75, "Bob": 0.25}),)


def of_bob(one: Written) -> tuple[str, str]:
    """How Bob's answer is read, or the label and the words of a refusal."""
    return verdict(one, BOUNTY, stands=COUNTED)


@pytest.mark.parametrize("one", BOUNTIES, ids=lambda one: one.what)
def test_each_way_of_writing_an_answer_has_its_verdict(one: Written) -> None:
    as_written_in_the_table(one, *of_bob(one))


def test_every_verdict_is_as_reviewed() -> None:
    on_a_page(WHOLE, "bounties", BOUNTIES, of_bob)


def test_every_tag_of_an_answer_stands_in_the_template_of_its_letter() -> None:
    every_tag_is_taught("answer_bounty", templates.ANSWER)
    every_field_is_named("answer_bounty")
