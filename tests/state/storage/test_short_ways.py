"""Letters that are kept at once are each read as it was, and a letter's text is its messages'."""

from typing import Any

import pytest

from shapley_coop.seats.calls import Step, kept_call
from shapley_coop.seats.letters import Letter, as_text
from shapley_coop.seats.records import Answer, Entry, JournalKey, nonce
from shapley_coop.state.storage.home import home
from tests.books import kept

SECRET = "the price that nobody else may know"


def entry(agent: str, **more: Any) -> Entry:
    return Entry(agent, "act", "m", f"letter to {agent}", SECRET, 1, Answer("yes"), nonce(), **more)


async def test_letters_of_a_wave_keep_their_own_facts() -> None:
    journal, history = home().journal, [{"by": "Ann", "says": "Zoë: “yes”"}]
    agents = {"Ann": {"hp": 1.5}, "Ben": {"hp": None}}
    wave = [
        ("e1", entry(who, facts={"you": who, "history": history, "position": {"of": at}, 'a"b': 1}))
        for who, at in agents.items()
    ]
    assert await kept(journal, wave) == [one for _, one in wave]
    found = journal.found("e1", [JournalKey(one.agent, one.letter, 1) for _, one in wave])
    assert [dict(one.facts) for one in found if one] == [dict(one.facts) for _, one in wave]
    assert sorted(journal.entries("e1"), key=lambda one: one.agent) == [one for _, one in wave]


@pytest.mark.parametrize(
    "letter",
    [
        Letter("Rules.", "Now."),
        Letter("Rules.", "Now.", refused="", why="Say something."),
        Letter("Rules.", "Now.", refused="x" * 9000, why="Shorter."),
        Letter("Rules.", "Now.", steps=(Step(kept_call("history", {}), ("Nothing.",)),)),
    ],
)
def test_a_letters_text_is_that_of_its_messages(letter: Letter) -> None:
    assert letter.text() == as_text(letter.messages())
