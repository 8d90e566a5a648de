"""What a person says is taken over, or quoted and refused, however sloppy the reading model is."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from shapley_coop.extensions.chat.read import read_by_model
from shapley_coop.extensions.chat.terms import dropped, invented, not_expressed
from shapley_coop.extensions.chat.tests.test_chat import talk
from shapley_coop.extensions.chat.tests.unknown_terms import UNKNOWN_TERMS
from shapley_coop.seats.seat import Seat
from tests.stub_openai import StubOpenAI

SAID = "Alice and Bob choose film or match"
AGENTS, ACTIONS = ["Alice", "Bob"], ["film", "match"]
WHOLE: dict[str, Any] = {
    "name": "an evening",
    "about": "Film or match?",
    "agents": AGENTS,
    "choices": [{"agent": agent, "actions": ACTIONS} for agent in AGENTS],
    "payoffs": [{"play": [a, b], "pays": [3, 1]} for a in ACTIONS for b in ACTIONS],
    "assumed": [],
    "question": "",
    "taken": [SAID],
    "left_out": [],
    "withdrawn": [],
}

SHOWN = {UNKNOWN_TERMS[4], UNKNOWN_TERMS[10]}
"""Terms whose claim to be in the game only a person can judge."""


class Reading:
    """A model on the loopback interface, and what it understands next."""

    def __init__(self) -> None:
        self.understood = WHOLE
        self.stub = StubOpenAI(lambda messages, request: json.dumps(self.understood))


@pytest.fixture(scope="module")
def reading() -> Iterator[Reading]:
    made = Reading()
    with made.stub, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "test")
        patch.setenv("COOP_KEY_URLS", f"OPENAI_API_KEY={made.stub.base_url}")
        yield made


async def told_of(reading: Reading, thread: str, *turns: tuple[str, dict[str, Any]]) -> str:
    """What the last of some turns is answered, each read as it is told."""
    async with talk(thread) as chat:
        for said, understood in turns:
            reading.understood = {**WHOLE, **understood}
            seat = {"model": "openai:stub", "base_url": reading.stub.base_url}
            told = (await chat.say(said, **seat))[-1].replace("\\", "")
    return told


def quoted_in(told: str) -> str:
    assert told.startswith("Nothing is played: I did not take over “"), told
    return told.partition("did not take over ")[2]


@pytest.mark.parametrize("term", UNKNOWN_TERMS)
async def test_what_a_model_drops_or_claims_wrongly_is_quoted_and_refused(
    reading: Reading, term: str
) -> None:
    """It says nothing of the term, or that its game holds it; what code cannot tell is shown."""
    seat = Seat(model="openai:stub", base_url=reading.stub.base_url)
    said = [HumanMessage(f"{SAID}. {term}.")]
    reading.understood = WHOLE
    silent = await read_by_model(said, seat, "shapley_coop")
    assert term in quoted_in(str(silent).replace("\\", ""))
    reading.understood = {**WHOLE, "taken": [SAID, term]}
    claimed = await read_by_model(said, seat, "shapley_coop")
    if term in SHOWN:
        assert f"“{term}”" in claimed[1][0]
    else:
        assert term in quoted_in(str(claimed).replace("\\", ""))


async def test_what_is_dropped_from_the_middle_is_quoted_alone(reading: Reading) -> None:
    understood = {"taken": ["Alice and Bob choose", "film or match"]}
    said = "Alice and Bob choose by secret ballot, film or match"
    told = await told_of(reading, "middle", (said, understood))
    assert quoted_in(told).startswith("“by secret ballot”. ")


async def test_a_refused_term_can_be_taken_back_and_no_earlier_word_is_lost(
    reading: Reading,
) -> None:
    first = (f"{SAID}. Bob pays a tax.", {"left_out": ["Bob pays a tax"]})
    left = ("Leave it out", {"taken": [SAID, "Leave it out"], "withdrawn": ["Bob pays a tax"]})
    told = await told_of(reading, "back", first, left)
    assert f"Taken over, as the table shows it: “{SAID}”, “Leave it out”." in told
    assert "No longer in it: “Bob pays a tax”." in told
    forgot = ("Leave it out", {"taken": [SAID, "Leave it out"]})
    assert "“Bob pays a tax”" in quoted_in(await told_of(reading, "forgot", first, forgot))
    # What was said last cannot have been taken back.
    at_once = (f"{SAID}. Bob pays a tax.", {"withdrawn": ["Bob pays a tax"]})
    assert "“Bob pays a tax”" in quoted_in(await told_of(reading, "at once", at_once))


async def test_what_a_model_invents_is_shown(reading: Reading) -> None:
    cells = [{"play": [a, b, "go"], "pays": [99, 1, 7]} for a in ACTIONS for b in ACTIONS]
    third = {"agent": "Cem", "actions": ["go"]}
    more = {
        "agents": [*AGENTS, "Cem"],
        "choices": [*WHOLE["choices"], third],
        "payoffs": cells,
        "taken": [SAID, "Cem joins"],
    }
    told = await told_of(reading, "invented", (SAID, more))
    assert "Assumed, as nobody said so: the agent Cem; the payoffs 1, 7, 99." in told
    assert "| film | match | go | 99 | 1 | 7 |" in told


def test_quotes_are_compared_word_by_word() -> None:
    assert dropped(["Ann  hates it,\nand Ben?"], ["ann hates it", "BEN"]) == []
    assert dropped(["Ann pays 1.5 €"], ["Ann pays 1"]) == ["Ann pays 1.5 €"]
    assert dropped(["Ann pays 1.5 €"], ["Ann pays", ""]) == ["1.5 €"]
    game = {**WHOLE, "actions": dict.fromkeys(AGENTS, ACTIONS)}
    assert not_expressed(["Alice likes films: 3", "two agents"], game) == []
    assert not_expressed(["Alice gets 4", "so does Cem"], game) == ["Alice gets 4", "so does Cem"]
    assert invented(["Alice and Bob get 3 or 1"], game) == []


@pytest.mark.parametrize("term", ["Alice gets 3,000", "Bob gets 1k", "Bob gets 3 ¥", "it is 1 m"])
def test_a_number_is_not_taken_for_its_first_digits(term: str) -> None:
    """3,000 is no 3 beside a 0, nor 1k a 1."""
    cells = [{"play": [a, b], "pays": [3, 0, 1]} for a in ACTIONS for b in ACTIONS]
    game = {**WHOLE, "actions": dict.fromkeys(AGENTS, ACTIONS), "payoffs": cells}
    assert not_expressed([term], game) == [term]


def test_a_number_with_thousands_is_held_by_its_payoff() -> None:
    cells = [{"play": ["film", "film"], "pays": [3000, 1]}]
    game = {**WHOLE, "actions": dict.fromkeys(AGENTS, ACTIONS), "payoffs": cells}
    assert not_expressed(["Alice gets 3,000"], game) == []
    assert invented(["Alice gets 3,000, Bob 1"], game) == []
