"""The short ways of the hot path lead where the long ones do."""

import asyncio
import sqlite3
from collections.abc import Mapping
from typing import Any

import pytest

from shapley_coop.seats.calls import Step
from shapley_coop.seats.letters import Letter, as_text
from shapley_coop.seats.records import Answer, Asked, Entry, nonce
from shapley_coop.state import home
from shapley_coop.state.storage.database import database
from shapley_coop.state.storage.driver import KeyTaken, SqliteDatabase
from shapley_coop.state.storage.owned import OWNED

SECRET = "the price that nobody else may know"


def entry(agent: str, **more: Any) -> Entry:
    return Entry(agent, "act", "m", f"letter to {agent}", SECRET, 1, Answer("yes"), nonce(), **more)


def test_letters_of_a_wave_keep_their_own_facts_beside_what_they_share() -> None:
    journal, history = home().journal, [{"by": "Ann", "says": "Zoë: “yes”"}]
    agents = {"Ann": {"hp": 1.5}, "Ben": {"hp": None}}
    wave = [
        ("e1", entry(who, facts={"you": who, "history": history, "position": {"of": at}, 'a"b': 1}))
        for who, at in agents.items()
    ]
    assert journal.write_all(wave) == [one for _, one in wave]
    found = journal.found("e1", [Asked(one.agent, one.letter, 1) for _, one in wave])
    assert [dict(one.facts) for one in found if one] == [dict(one.facts) for _, one in wave]
    assert sorted(journal.entries("e1"), key=lambda one: one.agent) == [one for _, one in wave]


def test_an_error_of_the_driver_quotes_no_row_and_leaves_none() -> None:
    home().journal.write("e1", entry("Ann"))
    books, count = database(home().books_url), "SELECT COUNT(*) AS n FROM answers"
    with books.reading() as session:
        (row,) = session.rows("SELECT * FROM answers", {})
    other = {**row, "letter": "letter to Ben"}

    def write(*rows: Mapping[str, Any]) -> None:
        with books.writing() as session:
            session.write(OWNED["answers"].insert, rows)

    def kept() -> int:
        with books.reading() as session:
            return int(session.rows(count, {})[0]["n"])

    with pytest.raises(KeyTaken) as twice:
        write(other, row)
    assert SECRET not in str(twice.value)
    assert kept() == 1, "all rows, or none"
    with pytest.raises(sqlite3.OperationalError), books.reading() as session:
        session.rows("SELECT 1 FROM nowhere", {})
    write(other)
    assert kept() == 2


async def test_threads_take_the_drivers_connections_in_turn() -> None:
    home().journal.write("e1", entry("Ann"))
    books = SqliteDatabase(home().folder / "books.sqlite")

    def read(_: int) -> int:
        with books.reading() as session:
            return len(session.rows("SELECT 1 FROM answers", {}))

    found = await asyncio.gather(*(asyncio.to_thread(read, n) for n in range(40)))
    assert found == [1] * 40
    assert 1 <= len(books._idle) <= 40


@pytest.mark.parametrize(
    "letter",
    [
        Letter("Rules.", "Now."),
        Letter("Rules.", "Now.", refused="", why="Say something."),
        Letter("Rules.", "Now.", refused="x" * 9000, why="Shorter."),
        Letter("Rules.", "Now.", steps=(Step('<TRY>{"clauses": []}</TRY>', ("Nothing.",)),)),
    ],
)
def test_a_letters_text_is_that_of_its_messages(letter: Letter) -> None:
    assert letter.text() == as_text(letter.messages())
