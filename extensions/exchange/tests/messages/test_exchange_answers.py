"""Proposals of tasks as models write them: each way of writing one has its verdict."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from extensions.exchange.tests.messages.exchange_answers import (
    EXCHANGED,
    REFUSED_IN_THE_TRIAL,
    TASKS,
)
from extensions.exchange.tests.messages.test_exchange_messages import PENDING
from shapley_coop.extensions.exchange.messages.checking import check_message
from shapley_coop.extensions.exchange.messages.written import as_written
from shapley_coop.extensions.exchange.questions.exchange import AS_IT_IS
from shapley_coop.seats.records import Answer
from shapley_coop.state.judging import take
from shapley_coop.state.run_config import RunConfig
from tests.deals.language.sloppy_answers import Written
from tests.deals.language.test_answers import as_written_in_the_table, on_a_page, turn
from tests.deals.language.test_thoughts import OPENED, UNCLEAR, WEIGHED

WHOLE = Path(__file__).parent / "snapshots" / "answers.md"


def verdict(one: Written) -> tuple[str, str]:
    """How a proposal is read, or the label it is asked back under; and the words with it."""
    found = check_message(one.text, TASKS, "Bob", PENDING if "answer" in one.act else None)
    if found.label:
        return found.label, found.feedback
    masks = ", ".join(f"{agent} {bits}" for agent, bits in found.masks.items())
    return masks, "; ".join(found.repairs)


@pytest.mark.parametrize("one", REFUSED_IN_THE_TRIAL + EXCHANGED, ids=lambda one: one.what)
def test_each_way_of_writing_a_proposal_has_its_verdict(one: Written) -> None:
    as_written_in_the_table(one, *verdict(one))


def test_of_the_trials_refused_proposals_two_are_asked_back_for_a_clear_answer() -> None:
    asked = [verdict(one) for one in REFUSED_IN_THE_TRIAL if one.verdict.isupper()]
    assert len(asked) == 2
    assert all("Do you accept" in words for _, words in asked)


def test_the_page_shows_every_verdict_on_proposals() -> None:
    on_a_page(WHOLE, "trial", REFUSED_IN_THE_TRIAL, verdict)
    on_a_page(WHOLE, "proposals", EXCHANGED, verdict)


# Private words stay private


@pytest.mark.parametrize("tag", ["<ACCEPT>", "<REJECT>", "<accept>", "<ACCEPT/>"])
def test_words_after_a_bare_tag_are_not_delivered(tag: str) -> None:
    text = f"<s>Fine.</s>{tag}\n(Private: I would have accepted 0.75.)"
    assert "0.75" not in as_written(text)


def test_notes_are_never_delivered() -> None:
    assert as_written("<NOTES>limit 4</NOTES><s>Hi</s>") == "<s>Hi</s>"


@pytest.mark.parametrize("text", UNCLEAR)
def test_where_it_is_unclear_what_is_thought_nothing_is_delivered(text: str) -> None:
    assert as_written(text) == ""
    assert check_message(text, TASKS, "Bob", PENDING).label == "TAG"


@pytest.mark.parametrize("marks", [cast(tuple[str, str], one.values[1:]) for one in OPENED])
def test_what_is_thought_is_never_delivered(marks: tuple[str, str]) -> None:
    opens, closes = marks
    for thought in ("<s>secret</s>", *WEIGHED.values()):
        text = f"{opens}<s>secret</s>{thought}{closes}<s>Hi.</s><REJECT>"
        assert "secret" not in as_written(text)


def test_a_talk_that_is_not_checked_delivers_nothing_that_may_be_thought() -> None:
    for text in ("<think>I <ACCEPT>", "I could <ACCEPT>.</think>No."):
        talk = turn("act", RunConfig(game="task_exchange"), offer=None)
        said = take(replace(talk, question=AS_IT_IS), "Bob", Answer(text))
        assert said == {"act": "pass", "text": ""}
