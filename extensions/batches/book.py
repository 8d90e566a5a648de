"""The book that keeps each letter's batch, so that no letter is paid for again after a kill."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from shapley_coop.seats.records import JournalKey
from shapley_coop.state.storage.facts import Fact
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.journal import BATCHED, name_of
from shapley_coop.state.storage.owned import Book

_BATCH = "batch"
"""The kind of stored facts that map a file to the provider's id of the file's batch."""


class Held(NamedTuple):
    """The uploaded file and the batch that a letter is in.

    Attributes:
        file: the provider's id of the uploaded file with the letter.
        batch: the provider's id of the batch of that file; empty if the process was killed before
            it got the id.
        since: the time just before the batch was requested, in seconds since the epoch.
    """

    file: str
    batch: str
    since: float


class Batched(Book):
    """The letters (as hashes) that all sweeps of one database sent in batches.

    A letter stays here after its answer, and is deleted if its batch ends without an answer.
    """

    def enter(self, sweep: str, held: Held, letters: Mapping[str, tuple[str, JournalKey]]) -> None:
        """Enter a file's letters (id → episode and question) just before its batch is created."""
        place = {"sweep": sweep, "file": held.file, "since": held.since}
        facts = [
            Fact(BATCHED, episode, name, {"answer": name_of(asked), **place})
            for name, (episode, asked) in letters.items()
        ]
        with self._writing() as session:
            session.put(*facts)

    def begun(self, file: str, batch: str) -> None:
        """Enter the provider's id of a file's batch, after the batch is created."""
        with self._writing() as session:
            session.put(Fact(_BATCH, file, "", {"batch": batch}))

    def find(self, episode: str, name: str) -> Held | None:
        """Return the file and batch of the letter with this id, or None if it is in no batch."""
        with self._reading() as session:
            found = session.read(BATCHED, episode, [name])
            if not found:
                return None
            at = found[0].value
            begun = session.read(_BATCH, at["file"])
        return Held(at["file"], begun[0].value["batch"] if begun else "", at["since"])

    def forget(self, letters: Iterable[tuple[str, str]]) -> None:
        """Delete letters (pairs of episode and id) that got no answer in their batch."""
        with self._writing() as session:
            for episode, name in letters:
                session.forget(BATCHED, episode, [name])

    def forget_file(self, file: str) -> None:
        """Delete the letters of a file for which no batch was created."""
        with self._reading() as session:
            held = [one for one in session.every(BATCHED) if one.value["file"] == file]
        self.forget((one.scope, one.key) for one in held)


def book() -> Batched:
    """Return the book of letters sent in batches, which this home's database keeps."""
    return Batched(home().books_url)
