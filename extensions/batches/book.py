"""Which batch of a provider's holds which letter, so that none is paid for twice after a kill."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from shapley_coop.seats.records import Asked
from shapley_coop.state.storage.facts import Fact
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.journal import BATCHED, name_of
from shapley_coop.state.storage.owned import Book

_BATCH = "batch"
"""A kind of facts: the provider's name of the batch of a file."""


class Held(NamedTuple):
    """Where a letter is.

    Attributes:
        file: the provider's name of the file that it was uploaded in.
        batch: the provider's name of the batch of that file; empty where the process was killed
            before it was told.
        since: when the batch was asked for, in seconds since the epoch.
    """

    file: str
    batch: str
    since: float


class Batched(Book):
    """The letters of all sweeps of one database that were sent in batches; hashes alone.

    A letter stays here with its answer, and leaves where its batch has none.
    """

    def enter(self, sweep: str, held: Held, letters: Mapping[str, tuple[str, Asked]]) -> None:
        """Note letters, by id with episode and question, right before a batch of them begins."""
        place = {"sweep": sweep, "file": held.file, "since": held.since}
        facts = [
            Fact(BATCHED, episode, name, {"answer": name_of(asked), **place})
            for name, (episode, asked) in letters.items()
        ]
        with self._writing() as session:
            session.put(*facts)

    def begun(self, file: str, batch: str) -> None:
        """Note the provider's name of the batch of a file."""
        with self._writing() as session:
            session.put(Fact(_BATCH, file, "", {"batch": batch}))

    def find(self, episode: str, name: str) -> Held | None:
        """Return where the letter of an id is; None if it is in no batch."""
        with self._reading() as session:
            found = session.read(BATCHED, episode, [name])
            if not found:
                return None
            at = found[0].value
            begun = session.read(_BATCH, at["file"])
        return Held(at["file"], begun[0].value["batch"] if begun else "", at["since"])

    def forget(self, letters: Iterable[tuple[str, str]]) -> None:
        """Have letters asked anew, by episode and id: their batch has no answer to them."""
        with self._writing() as session:
            for episode, name in letters:
                session.forget(BATCHED, episode, [name])

    def forget_file(self, file: str) -> None:
        """Have the letters of a file asked anew: it has no batch."""
        with self._reading() as session:
            held = [one for one in session.every(BATCHED) if one.value["file"] == file]
        self.forget((one.scope, one.key) for one in held)


def book() -> Batched:
    """Return the book of this home."""
    return Batched(home().books_url)
