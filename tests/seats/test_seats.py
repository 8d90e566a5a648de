"""Seats are found by name, refused in one line if unusable, and asked once per letter."""

import asyncio
import json
import socket
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.seats.asking import Enquiry, ask
from shapley_coop.seats.embedded import EmbeddedChatModel
from shapley_coop.seats.endpoint import KEYS
from shapley_coop.seats.letters import Letter, as_text
from shapley_coop.seats.models import check_seat
from shapley_coop.seats.recording import recording_line
from shapley_coop.seats.records import Answer, Entry, letter_hash, nonce
from shapley_coop.seats.seat import CredentialsMissing, Seat, SeatError
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.scripted import Script

# The tests' own promises


def test_no_test_reaches_another_machine() -> None:
    with socket.socket() as out, pytest.raises(RuntimeError, match=r"192\.0\.2\.1 is not this"):
        out.connect(("192.0.2.1", 80))
    with pytest.raises(RuntimeError, match=r"example\.org is not this machine"):
        socket.create_connection(("example.org", 443))


# Looking a seat up


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"model": "gpt-5"}, "'gpt-5' is not a model: give provider:name, as in embedded:rational"),
        ({"model": ""}, "'' is not a model"),
        ({"model": "openai:"}, "'openai:' is not a model"),
        ({"model": ":gpt-5"}, "':gpt-5' is not a model"),
        ({"model": "embedded:rational", "colour": "red"}, "Extra inputs are not permitted"),
        ({"temperature": 3}, "less than or equal to 2"),
        ({"temperature": -1}, "greater than or equal to 0"),
        ({"max_tokens": 1}, "greater than or equal to 16"),
        ({"timeout": 0}, "greater than 0"),
        ({"api_key": "sk-1"}, "Extra inputs are not permitted"),
    ],
)
def test_a_seat_with_a_wrong_setting_is_refused(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        Seat.model_validate(given)
    assert complaint in str(refusal.value)


@pytest.mark.parametrize(("provider", "variable"), sorted(KEYS.items()))
def test_a_missing_key_is_told_by_its_variable(provider: str, variable: str) -> None:
    with pytest.raises(CredentialsMissing) as refusal:
        check_seat(Seat(model=f"{provider}:any"))
    assert str(refusal.value) == f"{provider}:any needs {variable}: set it, or put it in .env"


def test_a_run_with_a_missing_key_does_not_begin() -> None:
    room = RunConfig.model_validate({"seats": {"Alice": "openai:any", "*": "embedded:rational"}})
    with pytest.raises(CredentialsMissing, match="OPENAI_API_KEY"):
        prepare("shapley_coop", room)
    assert home().runs.list() == []


@pytest.mark.parametrize(
    ("seats", "complaint"),
    [
        ({"Eve": "embedded:rational"}, "a seat is given to Eve, who does not play: the agents are"),
        ({"Judge": "embedded:rational"}, "Bob; summariser and judge can sit beside them"),
        ({"Alice": "embedded:rational"}, "there is no seat for Bob: give one, or give '*'"),
    ],
)
def test_seats_are_for_those_who_play(seats: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint.replace("*", r"\*")):
        prepare("llm_only", RunConfig.model_validate({"seats": seats}))


# Asking, once


LETTER = Letter("The rules.", '```json\n{"you": "Alice", "ask": "reason"}\n```')


def question(attempt: int = 1, letter: Letter = LETTER) -> Enquiry:
    return Enquiry("e1", "Alice", "reason", letter, attempt)


async def test_a_letter_that_was_answered_is_not_sent_again(script: Script) -> None:
    script["Alice", "reason"] = ["first", "second", "third"]
    seat, journal = Seat(), home().journal
    asked = [await ask(seat, 0, question(), journal) for _ in range(3)]
    assert [(entry.answer.text, really) for entry, really in asked] == [
        ("first", True),
        ("first", False),
        ("first", False),
    ]
    again, really = await ask(seat, 0, question(attempt=2), journal)
    assert (again.answer.text, really) == ("second", True)
    assert len(script.letters) == 2
    assert {entry.attempt for entry in journal.entries("e1")} == {1, 2}


async def test_of_two_answers_to_one_letter_the_first_counts() -> None:
    journal = home().journal
    text = as_text(LETTER.messages())
    entries = [
        Entry("Alice", "reason", "m", letter_hash(text), text, 1, Answer(said), nonce())
        for said in ("first", "second")
    ]
    assert journal.write("e1", entries[0]) == entries[0]
    assert journal.write("e1", entries[1]) == entries[0]
    assert journal.open_all("e1", {"Alice": entries[0].pointer()}) == {"Alice": entries[0]}
    with pytest.raises(ValueError, match="the journal's entry of Alice in episode e1 was changed"):
        journal.open_all("e1", {"Alice": entries[1].pointer()})
    with pytest.raises(ValueError, match="is missing"):
        journal.open_all("e2", {"Alice": entries[0].pointer()})


def test_a_pointer_commits_to_an_answer_and_does_not_tell_it() -> None:
    entry = Entry("Alice", "act", "m", "l", "text", 1, Answer("<ACTION>door</ACTION>"), nonce())
    assert entry.pointer()["seal"] != replace(entry, nonce=nonce()).pointer()["seal"]
    assert entry.pointer()["seal"] != replace(entry, answer=Answer("x")).pointer()["seal"]
    assert "door" not in json.dumps(entry.pointer())


@pytest.mark.parametrize(
    ("answered", "kept"),
    [
        ("<think>\nhm <s>no</s>\n</think>\n<ACCEPT>", "\n<ACCEPT>"),
        ("<s>half \ud83d a pair</s>", "<s>half \ufffd a pair</s>"),
        ("nothing\0", "nothing\ufffd"),
        ("<s>\u2028 is a line for some</s>", "<s>\u2028 is a line for some</s>"),
    ],
)
async def test_any_answer_can_be_kept(script: Script, answered: str, kept: str) -> None:
    script["Alice", "reason"] = answered
    entry, _ = await ask(Seat(), 0, question(), home().journal)
    assert entry.answer.text == kept
    assert [e.answer.text for e in home().journal.entries("e1")] == [kept]
    assert json.loads(recording_line(entry))["answer"] == kept


async def test_a_failure_is_told_without_its_text_and_can_be_mended(script: Script) -> None:
    script["Bob", "act"] = [RuntimeError("the letter said: You are Bob"), "<ACTION>door</ACTION>"]
    script["Alice", "act"] = "<ACTION>lever</ACTION>"
    run = prepare("llm_only", RunConfig())
    with pytest.raises(SeatError) as failure:
        await follow(run)
    assert str(failure.value) == (
        "Bob's seat (embedded:rational) did not answer: RuntimeError; resume the run to try again"
    )
    outcome = await follow(run)
    assert outcome["rewards"] == {"Alice": -1, "Bob": 10}
    assert len(script.shown_to("Alice")) == 1, "who had answered is not asked again"
    assert len(script.shown_to("Bob")) == 2


async def test_a_seat_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(EmbeddedChatModel):
        async def _agenerate(self, *_: Any, **__: Any) -> Any:
            await asyncio.Event().wait()

    monkeypatch.setattr("shapley_coop.seats.asking.chat_model", lambda *_, **__: Slow())
    with pytest.raises(SeatError, match=r"no answer within 0\.03 s; raise the seat's timeout"):
        await ask(Seat(timeout=0.01), 0, question(), home().journal)
