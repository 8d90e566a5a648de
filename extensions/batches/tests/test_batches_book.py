"""Which batch holds which letter: known to the letter's owner alone, until it is answered."""

import time
from pathlib import Path

import pytest

from shapley_coop.extensions.batches.book import Batched, Held
from shapley_coop.extensions.sweeps.checks import Waiting
from shapley_coop.seats.records import Answer, Entry, JournalKey
from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.owners import acting_for


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_letters_in_batches_are_their_owners_and_wait_until_they_are_answered(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    home = Home(tmp_path, "" if kind == "sqlite" else request.getfixturevalue("postgres_url"))
    book, journal, held = Batched(home.books_url), home.journal, Held("file-1", "", time.time())
    waiting = Waiting(home.books_url)
    answer = Answer("mine", cut=False, input_tokens=3, output_tokens=4, seconds=0.0)
    theirs = Entry("Bob", "act", "m", "l1", "a letter", 1, answer, "n")
    key = ("e", JournalKey(theirs.agent, theirs.letter, theirs.attempt, theirs.model))
    with acting_for("ann", "t1"):
        book.enter("sweep", held, {"one": key, "two": ("e2", key[1])})
        book.begun("file-1", "batch-1")
        assert book.find("e", "one") == held._replace(batch="batch-1")
        assert waiting.in_batches("sweep") == 2
        journal.write("e", theirs)
        assert (waiting.in_batches("sweep"), waiting.in_batches("another")) == (1, 0)
        book.forget([("e", "one")])
        assert book.find("e", "one") is None
    with acting_for("bob", "t2"):
        assert book.find("e2", "two") is None
    with acting_for("ann"):
        assert book.find("e2", "two") is not None
        journal.remove("e2")
        assert book.find("e2", "two") is None
