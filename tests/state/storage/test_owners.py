"""Journal, ledger, register and letters have owners, and no owner reaches another's."""

import asyncio
from pathlib import Path

import pytest
from langgraph.graph import END, START, StateGraph

from shapley_coop.seats.records import Answer, Entry, JournalKey, Mail
from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.ledger import Key, Line
from shapley_coop.state.storage.owners import OWNER_KEY, SERVER, NotYours, acting_for, holder
from tests.books import posted
from tests.postgres import own_database

PAID = [Line("world", "Alice", 5, "reward")]
MORE = [Line("world", "Mallory", 9, "reward")]


@pytest.fixture(params=["sqlite", "postgres"])
def books(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """Books of two tenants; on Postgres of a role that is above nothing."""
    if request.param == "sqlite":
        return Home(tmp_path)
    return Home(
        tmp_path, database=own_database(request.getfixturevalue("postgres_url"), plain_role=True)
    )


def entry(agent: str = "Alice", words: str = "mine") -> Entry:
    answer = Answer(words, cut=False, input_tokens=3, output_tokens=4, seconds=0.0)
    return Entry(agent, "act", "m", "l1", "a letter", 1, answer, "n")


def test_a_thread_named_like_an_episode_of_another_opens_nothing(books: Home) -> None:
    with acting_for("ann", "t1"):
        books.journal.write("e", entry())
    threads = books.owners
    threads.check_thread("e", "bob", claim=True)
    assert threads.knows("e", "bob")
    for thread in ("", "e"):
        with acting_for("bob", thread), pytest.raises(NotYours):
            posted(books.ledger, Key("e", "escrow"), MORE)


def test_another_owner_neither_reads_nor_writes(books: Home) -> None:
    with acting_for("ann", "t1"):
        books.journal.write("e", entry())
        books.journal.deliver("e", Mail("Bob", "act", "l2", "a letter", 1))
        posted(books.ledger, Key("e", "final"), PAID)
        books.runs.begin("r", "llm_only", {}, "v1")
    with acting_for("bob"):
        assert list(books.journal.entries("e")) == []
        assert books.journal.mail("e", "Bob") is None
        assert books.ledger.lines("e") == []
        assert books.runs.list() == []
        with pytest.raises(ValueError, match="there is no run"):
            books.runs.get("r")
        books.runs.finish("r", "ended", {"stolen": True})
        for write in (
            lambda: posted(books.ledger, Key("e", "escrow"), MORE),
            lambda: books.journal.write("e", entry("Bob")),
            lambda: books.journal.deliver("e", Mail("Bob", "act", "l3", "another letter", 1)),
        ):
            with pytest.raises(NotYours, match="start your own run") as refused:
                write()
            assert "ann" not in str(refused.value)
    with acting_for("ann", "t1"):
        assert [one.answer.text for one in books.journal.entries("e")] == ["mine"]
        assert books.ledger.lines("e") == PAID
        mail = books.journal.mail("e", "Bob")
        assert mail is not None
        assert mail.letter_text == "a letter"
        assert books.runs.get("r").state == "started"
        used = {"model": "m", "input_tokens": 3, "output_tokens": 4}
        used |= {"cached_tokens": 0, "reasoning_tokens": 0}
        assert books.journal.used_by("ann") == [used]
        assert books.journal.used_by("bob") == []


def test_an_episode_is_played_by_one_thread(books: Home) -> None:
    with acting_for("ann", "t1"):
        posted(books.ledger, Key("e", "final"), PAID)
    with acting_for("ann", "t2"):
        with pytest.raises(NotYours):
            books.journal.found("e", [JournalKey("Alice", "l1", 1)])
        with pytest.raises(NotYours):
            posted(books.ledger, Key("e", "escrow"), PAID)
    with acting_for("ann"):
        assert books.ledger.lines("e") == PAID


def test_the_server_reads_for_all_and_writes_for_one(books: Home) -> None:
    with acting_for("ann", "t1"):
        books.journal.deliver("e", Mail("Bob", "act", "l2", "a letter", 1))
    with acting_for(SERVER):
        assert books.journal.mail("e", "Bob") is not None
        with pytest.raises(NotYours):
            posted(books.ledger, Key("e", "final"), PAID)


async def test_answers_kept_in_one_batch_stay_with_their_owners(books: Home) -> None:
    async def keep(owner: str) -> None:
        with acting_for(owner, f"thread of {owner}"):
            await books.journal.keep(f"of-{owner}", entry(words=owner))

    await asyncio.gather(*[keep(owner) for owner in ("ann", "bob", "cem")])
    for owner in ("ann", "bob", "cem"):
        with acting_for(owner):
            assert [one.answer.text for one in books.journal.entries(f"of-{owner}")] == [owner]
        with acting_for("dan"):
            assert list(books.journal.entries(f"of-{owner}")) == []


async def test_a_run_has_the_owner_of_its_configuration_and_no_other() -> None:
    seen = []

    def look(state: dict) -> dict:
        seen.append(holder())
        return {}

    graph = StateGraph(dict).add_node(look).add_edge(START, "look").add_edge("look", END).compile()
    with acting_for("bob", "another"):
        await graph.ainvoke({}, {"configurable": {"thread_id": "t", OWNER_KEY: "ann"}})
    await graph.ainvoke({}, {"configurable": {"thread_id": "t"}, "metadata": {"owner": "ann"}})
    assert [(one.owner, one.thread) for one in seen] == [("ann", "t"), ("", "t")]
