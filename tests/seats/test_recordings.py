"""A recording answers the letters of a stored run as they were answered, and no others."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from shapley_coop.graphs.running import play
from shapley_coop.seats.models import check_seat
from shapley_coop.seats.recording import RecordedChatModel, recording_line
from shapley_coop.seats.records import Answer, Entry, letter_hash, nonce
from shapley_coop.seats.seat import Seat, SeatError
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.scripted import Script

OWN = {"run", "episode", "seats", "timing", "simulated"}


def told(outcome: dict[str, Any]) -> dict[str, Any]:
    happened = {**outcome["happened"], "words": []}  # which name the models
    return {k: v for k, v in {**outcome, "happened": happened}.items() if k not in OWN}


@pytest.fixture
def record(tmp_path: Path) -> Callable[[dict[str, Any]], str]:
    """Write a run's letters to a file, as `coop letters` does, and name the seat."""

    def write(outcome: dict[str, Any]) -> str:
        path = tmp_path / f"{outcome['run']}.jsonl"
        entries = home().journal.entries(outcome["episode"])
        path.write_text(
            "\n".join(recording_line(entry) for entry in entries) + "\n", encoding="utf-8"
        )
        return f"recording:{path}"

    return write


@pytest.mark.parametrize(
    "room",
    [
        {"seed": 5},
        {"seed": 1, "seats": {"*": "embedded:sloppy"}},
        {"game": "prisoners_dilemma", "params": {"rounds": 2}, "renegotiate": "every 1"},
    ],
    ids=["sound", "sloppy", "repeated"],
)
async def test_a_recording_replays_a_run_to_the_same_result(
    room: dict[str, Any], record: Callable[[dict[str, Any]], str]
) -> None:
    first = await play("shapley_coop", RunConfig.model_validate(room))
    seats = {"*": record(first)}
    again = await play("shapley_coop", RunConfig.model_validate(room | {"seats": seats}))
    assert told(again) == told(first)
    assert again["simulated"] is True, "embedded agents answered in the recording"
    assert again["episode"] != first["episode"]


async def test_the_same_complaint_twice_is_replayed_answer_by_answer(
    script: Script, record: Callable[[dict[str, Any]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two letters can be the same but for the number of the attempt."""
    script["Alice", "act"] = ["<ACTION>no", "<ACTION>never", "<ACTION>lever</ACTION>"]
    script["Bob", "act"] = "<s>\u2028</s><ACTION>door</ACTION>"
    first = await play("llm_only", RunConfig())
    assert first["rewards"] == {"Alice": -1, "Bob": 10}
    seats = {"*": record(first)}
    monkeypatch.undo()
    monkeypatch.setenv("COOP_HOME", str(home().folder))
    again = await play("llm_only", RunConfig.model_validate({"seats": seats}))
    assert told(again) == told(first)


async def test_a_letter_that_was_not_recorded_ends_in_one_clear_line(
    record: Callable[[dict[str, Any]], str],
) -> None:
    first = await play("shapley_coop", RunConfig(seed=5))
    seat = record(first)
    with pytest.raises(SeatError) as failure:
        await play(
            "shapley_coop", RunConfig.model_validate({"params": {"prize": 8}, "seats": {"*": seat}})
        )
    said = str(failure.value)
    assert "has no answer of Alice to this letter" in said or "of Bob to this letter" in said
    assert "the game, its parameters or the prompts differ" in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "line", ["not json", "[]", "3", "{}", '{"agent": "Alice", "letter": "x"}'], ids=str
)
def test_a_file_that_is_no_recording_is_told_by_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "letters.jsonl"
    sound = {"agent": "Ann", "letter": "x", "attempt": 1, "answer": "hello"}
    path.write_text(f"{json.dumps(sound)}\n\n{line}\n")
    with pytest.raises(
        ValueError, match=r"letters\.jsonl:3 is not a recorded letter: make the file"
    ):
        check_seat(Seat(model=f"recording:{path}"))


def test_a_recording_reports_tokens_and_cuts_as_they_were(tmp_path: Path) -> None:
    message = HumanMessage("A letter.")
    answer = Answer("An ans", cut=True, input_tokens=7, output_tokens=2)
    entry = Entry("Ann", "act", "m", letter_hash("A letter."), "A letter.", 1, answer, nonce())
    path = tmp_path / "letters.jsonl"
    path.write_text(recording_line(entry))
    reply = RecordedChatModel(path=str(path), agent="Ann").invoke([message])
    assert reply.text == "An ans"
    assert reply.usage_metadata == {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
    assert reply.response_metadata["finish_reason"] == "length"
