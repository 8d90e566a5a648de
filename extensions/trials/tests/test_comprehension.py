"""Questions beside real letters: what is right, who answers, and that wrong words are seen."""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from shapley_coop.cli.commands import command_line
from shapley_coop.extensions.trials.comprehension import asking
from shapley_coop.extensions.trials.comprehension.asking import (
    asked_about,
    letters_of,
    limited,
    questions_about,
    unasked,
)
from shapley_coop.extensions.trials.comprehension.questions import questions
from shapley_coop.seats.records import Entry
from shapley_coop.seats.seat import Seat
from tests.brought import with_all_extensions
from tests.stub_faults import Completion
from tests.stub_openai import StubOpenAI

pytestmark = pytest.mark.usefixtures("openai_key")

FEW = (
    ("short_term", "escape_room"),
    ("contracts", "prisoners_dilemma"),
    ("settlement", "delivered"),
)


async def letters() -> list[Entry]:
    return await letters_of([0], FEW)


@with_all_extensions
async def test_the_words_of_real_letters_hold_every_answer_that_the_facts_hold() -> None:
    score = await asked_about(await letters(), Seat(model="embedded:rational"))
    assert score.wrong == []
    assert score.right == score.asked
    kinds = {"if all keep it", "if you break it", "as proposed", "change", "what the deal asks"}
    assert kinds <= score.asked.keys()


async def test_a_letter_whose_words_say_another_amount_than_its_facts_is_found_out() -> None:
    entries = [entry for entry in await letters() if entry.act == "answer"]
    changed = [
        Entry(
            **{
                **vars(e),
                "letter_text": re.sub(
                    r"\| all keep the deal \| \S+", "| all keep the deal | 99", e.letter_text
                ),
            }
        )
        for e in entries
    ]
    score = await asked_about(changed, Seat(model="embedded:rational"))
    assert {wrong["question"] for wrong in score.wrong} == {
        "What do you yourself end up with if everybody keeps the offer?"
    }
    assert {wrong["answer"] for wrong in score.wrong} == {"99"}


def well_read(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """Look every answer up, and say it as models do, but for the first question."""
    letter, _, asked = messages[-1]["content"].rpartition("# Questions, in place of an answer")
    numbered = re.findall(r"^(\d+): (.*)$", asked, re.MULTILINE)
    entry = next(e for e in KNOWN if e.letter_text.strip() == letter.strip())
    found = {one.text: one.read(letter) for one in questions(entry.facts)}
    lines = [f"**{number}:** {found[text]}" for number, text in numbered[1:]]
    return "\n".join(["1: I cannot tell.", *lines])


KNOWN: list[Entry] = []


async def test_any_model_is_asked_once_a_letter_and_scored_by_what_it_says() -> None:
    KNOWN[:] = [e for e in await letters() if e.act in ("answer", "answer_split")]
    with StubOpenAI(well_read) as stub:
        seat = Seat(model="openai:reader", base_url=stub.base_url)
        score = await asked_about(KNOWN, seat)
        assert stub.calls == len(KNOWN)
        told = stub.requests[0].body["messages"][-1]["content"]
    with StubOpenAI(well_read) as other:
        await asked_about(KNOWN, seat.model_copy(update={"base_url": other.base_url}))
        assert other.calls == len(KNOWN), "another endpoint's model may have the same name"
    assert "# Your turn: answer" in told
    assert len(score.wrong) == len(KNOWN), "the first question of each letter"
    assert sum(score.right.values()) == sum(score.asked.values()) - len(KNOWN)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("3.5", True),
        ("**3.50**", True),
        ("I get 10 and pay 6.5, so 3.5", True),
        ("7/2", True),
        ("$3.5.", True),
        ("3.4", False),
        ("-3.5", False),
        ("unsure", False),
        ("", False),
    ],
)
def test_an_amount_is_right_by_its_last_number(answer: str, right: bool) -> None:
    rows = [{"if": "all keep it", "who": "", "by": "", "payoffs": {"Bob": {"mean": "7/2"}}}]
    facts = {"you": "Bob", "ask": "other", "offer": {"outlook": {"rows": rows}}}
    one = questions(facts)[-1]
    assert one.right(answer) is right


@pytest.mark.parametrize(
    ("answer", "right"), [("`lever`.", True), ("Lever", True), ("door", False)]
)
def test_a_name_is_right_by_its_words(answer: str, right: bool) -> None:
    duty = {"clause": "c1", "action": "lever", "forbidden": False}
    facts = {"you": "Bob", "ask": "act", "duties": [duty], "procedure": {"turns": 1}}
    one = questions(facts)[-1]
    assert one.right(answer) is right


async def test_fewer_questions_than_a_letter_has_are_refused_and_not_asked_in_silence() -> None:
    entries = [e for e in await letters() if e.act == "answer"][:1]
    with pytest.raises(ValueError, match=r"^--most 2 is too few: the first letter has \d+ "):
        limited(entries, 2)


@with_all_extensions
async def test_every_question_of_every_workflow_has_letters_whose_words_hold_all_answers() -> None:
    entries = await letters_of([0])
    assert unasked(entry.act for entry in entries) == []
    score = await asked_about(entries, Seat(model="embedded:rational"))
    assert score.wrong == []
    assert {
        "what is asked",
        "what is mine",
        "what is legal",
        "without a deal",
    } <= score.asked.keys()
    few = limited(entries, 100)
    assert 80 < sum(len(questions_about(entry)) for entry in few) <= 100
    assert {entry.act for entry in few} == {entry.act for entry in entries}


def in_form(answer: Callable[[list[str]], list[str]], calls: list[int]) -> Any:
    """Return a stub's reply that answers in the manner in which it is asked."""

    def reply(messages: list[dict[str, Any]], request: dict[str, Any]) -> Any:
        calls.append(1)
        letter, _, asked = messages[-1]["content"].rpartition("# Questions, in place of an answer")
        texts = re.findall(r"^\d+: (.*)$", asked, re.MULTILINE)
        entry = next(e for e in KNOWN if e.letter_text.strip() == letter.strip())
        truths = {one.text: one.truth for one in questions(entry.facts)}
        lines = answer([f"{n}: {truths[text]}" for n, text in enumerate(texts, start=1)])
        fields = json.dumps({"thoughts": "Hm.", "answers": lines, "notes": None})
        if request.get("tools"):
            return Completion("", tool_calls=(("comprehend", fields),))
        return fields if request.get("response_format") else "\n".join(lines)

    return reply


@pytest.mark.parametrize(
    ("answer", "right", "silent", "code"),
    [
        (lambda lines: lines, True, False, 0),
        (lambda lines: [line.split(":")[0] + ": 99.5" for line in lines], False, False, 1),
        (lambda lines: [], False, True, 1),
    ],
    ids=["right", "wrong", "silent"],
)
def test_any_model_answers_in_every_manner_and_goes_on_where_it_stopped(
    answer: Any, right: bool, silent: bool, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    KNOWN[:] = [e for e in asyncio.run(letters()) if e.act in ("answer", "answer_split")]

    async def known(seeds: Any) -> list[Entry]:
        return KNOWN

    monkeypatch.setattr(asking, "letters_of", known)
    monkeypatch.setattr(asking, "unasked", lambda acts: [])
    calls: list[int] = []
    with StubOpenAI(in_form(answer, calls)) as stub:
        given = ["--model", "openai:gpt-5-mini", "--base-url", stub.base_url, "--at-least", "0.9"]
        forecast = CliRunner().invoke(command_line(), ["comprehend", *given, "--dry-run"])
        assert "USD, by the prices of" in forecast.stdout
        assert not calls
        done = CliRunner().invoke(command_line(), ["comprehend", *given, "--json"])
        asked = len(calls)
        again = CliRunner().invoke(command_line(), ["comprehend", *given, "--json"])
        assert len(calls) == asked, "kept answers are not asked for again"
    assert (done.exit_code, again.exit_code) == (code, code)
    told = json.loads(done.stdout)
    assert json.loads(again.stdout) == told
    assert [*told["manners"]] == ["text", "schema", "tools"]
    for found in told["manners"].values():
        counts = list(found["questions"].values())
        assert (sum(row["right"] for row in counts) > 0) is right
        assert (
            sum(row["silent"] for row in counts) == sum(row["asked"] for row in counts)
        ) is silent


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--model", "human"], "are for models only"),
        (["--model", "nobody"], "nobody"),
    ],
)
def test_what_cannot_be_asked_is_one_line(given: list[str], words: str) -> None:
    done = CliRunner().invoke(command_line(), ["comprehend", *given])
    assert isinstance(done.exception, ValueError)
    assert words in str(done.exception)
