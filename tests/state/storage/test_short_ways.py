"""The short ways of the hot path lead where the long ones do."""

import asyncio
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from shapley_coop.games.public_goods import PublicGoods
from shapley_coop.graphs.running import play
from shapley_coop.seats import Question
from shapley_coop.seats.calls import Step
from shapley_coop.seats.letters import Letter, as_text
from shapley_coop.seats.records import Answer, Asked, Entry, Pointer, nonce
from shapley_coop.state import RunConfig, asking, handover, home
from shapley_coop.state.handover import hand_over, taken_over
from shapley_coop.state.storage.database import database
from shapley_coop.state.storage.driver import KeyTaken, SqliteDatabase
from shapley_coop.state.storage.journal import Journal
from shapley_coop.state.storage.letters import pack_ahead, packed
from shapley_coop.state.storage.owned import OWNED
from shapley_coop.state.storage.owners import acting_for

SECRET = "the price that nobody else may know"


def entry(agent: str, **more: Any) -> Entry:
    return Entry(agent, "act", "m", f"letter to {agent}", SECRET, 1, Answer("yes"), nonce(), **more)


def test_a_draft_is_handed_over_once_and_to_its_holder_alone() -> None:
    kept = entry("Ann")
    with acting_for("ann", "t1"):
        pointer = hand_over(kept)
    assert taken_over(pointer) is None
    with acting_for("ann", "t1"):
        assert taken_over({**pointer, "attempt": 2}) is None
        pointer = hand_over(kept)
        taken = taken_over(pointer)
        assert taken is not None
        assert (taken.answer, taken.pointer()) == (kept.answer, pointer)
        assert taken_over(pointer) is None


async def test_sealed_actions_are_opened_where_they_were_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    from_journal = Journal.open_all

    def opened(self: Journal, episode: str, pointers: Mapping[str, Pointer]) -> dict[str, Entry]:
        asked.extend(pointers)
        return from_journal(self, episode, pointers)

    monkeypatch.setattr(Journal, "open_all", opened)
    await play("llm_only", RunConfig(game="escape_room"))
    assert asked == []
    monkeypatch.setattr(handover, "_waiting", OrderedDict())  # what other tests left
    monkeypatch.setattr(handover, "_MOST", 0)
    await play("llm_only", RunConfig(game="escape_room"))
    assert asked == ["Alice", "Bob"]


@pytest.mark.parametrize(("agents", "packed_ahead"), [(20, 40), (4, 4)])
async def test_the_journal_keeps_the_same_letters_whether_they_were_packed_ahead_or_not(
    monkeypatch: pytest.MonkeyPatch, agents: int, packed_ahead: int
) -> None:
    """Those of a crowd in a thread; a few on the event loop, once the journal's file is open."""
    room = RunConfig(game="public_goods", params={"agents": agents, "rounds": 2})
    ahead: list[Letter] = []
    kept: list[dict[str, Any]] = []

    def pack(letters: Iterable[Letter]) -> None:
        sent = [*letters]
        ahead.extend(sent)
        pack_ahead(sent)

    for packing in (pack, lambda _: None):
        monkeypatch.setattr(asking, "pack_ahead", packing)
        outcome = await play("llm_only", room)
        found = home().journal.entries(outcome["episode"])
        kept.append({one.letter: (one.letter_text, {**one.facts}) for one in found})
    assert kept[0] == kept[1]
    assert len(kept[0]) == 2 * agents
    assert len(ahead) == packed_ahead


def test_a_letter_that_goes_on_is_packed_anew() -> None:
    letter = Letter("rules", "ask")
    pack_ahead([letter])
    asked = Question("e", "Ann", "act", replace(letter, steps=(Step("Let me see.", ("4",)),)))
    assert asked.entry("m", Answer("yes")).packed == b""
    assert Question("e", "Ann", "act", letter).entry("m", Answer("yes")).packed == packed(
        "rules\n\nask", {}
    )


async def test_without_the_hand_over_a_run_ends_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    room = RunConfig(game="escape_room", seed=3)
    usual = await play("shapley_coop", room)
    # As after a restart between asking and validating.
    monkeypatch.setattr(handover, "_MOST", 0)
    again = await play("shapley_coop", room)
    assert again["payoffs"] == usual["payoffs"]
    assert again["status"] == usual["status"]


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


@pytest.mark.parametrize("where", ["on the loop", "in a thread", "after a restart"])
async def test_a_turn_is_played_on_the_loop_only_where_it_takes_next_to_nothing(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game that may take long, and answers that have to be read, go to a thread."""
    played, step = list[bool](), PublicGoods.step

    def watched(self: PublicGoods, *given: Any) -> Any:
        played.append(threading.current_thread() is threading.main_thread())
        return step(self, *given)

    monkeypatch.setattr(PublicGoods, "step", watched)
    monkeypatch.setattr(PublicGoods, "quick", where != "in a thread")
    if where == "after a restart":
        monkeypatch.setattr(handover, "_waiting", OrderedDict())
        monkeypatch.setattr(handover, "_MOST", 0)
    outcome = await play("llm_only", RunConfig(game="public_goods", params={"rounds": 1}))
    assert outcome["acted"] == dict.fromkeys(outcome["agents"], 1)
    assert played[0] is (where == "on the loop")
