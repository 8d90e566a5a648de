"""Questions beside real letters: what is right, who answers, and that wrong words are seen."""

import json
import re
from typing import Any

import pytest
from typer.testing import CliRunner

from shapley_coop.cli.commands import command_line
from shapley_coop.extensions.trials.comprehension import asked_about, letters_of
from shapley_coop.extensions.trials.comprehension.questions import questions
from shapley_coop.seats.records import Entry
from shapley_coop.seats.seat import Seat
from tests.brought import with_all_extensions
from tests.stub_openai import StubOpenAI

FEW = (
    ("short_term", "escape_room"),
    ("contracts", "prisoners_dilemma"),
    ("settlement", "delivered"),
)


@pytest.fixture(autouse=True)
def _a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


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
                    r"\| all keep it \| \S+", "| all keep it | 99", e.letter_text
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
    (one,) = questions(facts)
    assert one.right(answer) is right


@pytest.mark.parametrize(
    ("answer", "right"), [("`lever`.", True), ("Lever", True), ("door", False)]
)
def test_a_name_is_right_by_its_words(answer: str, right: bool) -> None:
    duty = {"clause": "c1", "action": "lever", "forbidden": False}
    (one,) = questions({"you": "Bob", "ask": "act", "duties": [duty], "procedure": {"turns": 1}})
    assert one.right(answer) is right


@pytest.mark.slow
def test_coop_eval_letters_prints_a_score_and_no_evidence_about_models() -> None:
    done = CliRunner().invoke(command_line(), ["comprehend", "--json"])
    told = json.loads(done.stdout)
    assert told["simulated"] is True
    assert told["wrong"] == []
    assert told["letters"] > 20


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--model", "human"], "people are not asked"),
        (["--model", "nobody"], "nobody"),
    ],
)
def test_what_cannot_be_asked_is_one_line(given: list[str], words: str) -> None:
    done = CliRunner().invoke(command_line(), ["comprehend", *given])
    assert isinstance(done.exception, ValueError)
    assert words in str(done.exception)
