"""Which batch of a provider's holds which letter, so that none is paid for twice after a kill."""

import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from shapley_coop.seats.records import Asked
from shapley_coop.state.storage.owned import MINE, OwnedBook, owned
from shapley_coop.state.storage.owners import holder

_letters = owned(
    "batched_letters",
    # Episode to model are the journal's own key of the answer to come.
    """
    id VARCHAR(64) NOT NULL,
    episode VARCHAR(64) NOT NULL,
    agent VARCHAR(64) NOT NULL,
    letter VARCHAR(64) NOT NULL,
    attempt INTEGER NOT NULL,
    model VARCHAR(200) NOT NULL,
    sweep VARCHAR(64) NOT NULL,
    file VARCHAR(200) NOT NULL,
    batch VARCHAR(200) NOT NULL,
    since FLOAT NOT NULL,
    PRIMARY KEY (id)
    """,
    ("INDEX", "ix_batched_letters_episode", "episode"),
    ("INDEX", "ix_batched_letters_file", "file"),
)

KEPT = 30 * 86400
"""Seconds for which a provider keeps the files of a batch: what is older waits for nothing."""

_SAME = " AND ".join(
    f"answers.{name} = batched_letters.{name}"
    for name in ("episode", "agent", "letter", "attempt", "model")
)
_FIND = f"SELECT file, batch, since FROM batched_letters WHERE id = :id AND {MINE}"  # noqa: S608 - constants, here and below
_WAITING = f"""
    SELECT COUNT(*) AS waiting FROM batched_letters
    WHERE sweep = :sweep AND since > :since AND {MINE}
    AND NOT EXISTS (SELECT 1 FROM answers WHERE {_SAME})
"""  # noqa: S608


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


class Batched(OwnedBook):
    """The letters of all sweeps of one database that were sent in batches; hashes alone.

    A letter stays here with its answer, and leaves where its batch has none.
    """

    def enter(self, sweep: str, held: Held, letters: Mapping[str, tuple[str, Asked]]) -> None:
        """Note letters, by id with episode and question, right before a batch of them begins."""
        who = holder()
        place = {**held._asdict(), "sweep": sweep, "owner": who.owner}
        rows = [
            {"id": name, "episode": episode, **asked._asdict(), **place}
            for name, (episode, asked) in letters.items()
        ]
        with self._changing(who) as session:
            session.write(_letters.insert, rows)

    def begun(self, file: str, batch: str) -> None:
        """Note the provider's name of the batch of a file."""
        begun = "UPDATE batched_letters SET batch = :batch WHERE file = :file"
        self._write(begun, {"file": file, "batch": batch})

    def find(self, name: str) -> Held | None:
        """Where the letter of an id is; None if it is in no batch."""
        row = self._row(_FIND, {"id": name})
        return Held(**row) if row else None

    def forget(self, names: Iterable[str]) -> None:
        """Have letters asked anew: their batch has no answer to them."""
        with self._changing(holder()) as session:
            rows = [{"id": name} for name in names]
            session.write("DELETE FROM batched_letters WHERE id = :id", rows)

    def forget_file(self, file: str) -> None:
        """Have the letters of a file asked anew: it has no batch."""
        self._write("DELETE FROM batched_letters WHERE file = :file", {"file": file})

    def remove(self, episode: str) -> None:
        """Forget the letters of an episode."""
        self._write("DELETE FROM batched_letters WHERE episode = :episode", {"episode": episode})

    def waiting(self, sweep: str) -> int:
        """How many letters of a sweep are in batches and not answered in the journal."""
        row = self._row(_WAITING, {"sweep": sweep, "since": time.time() - KEPT})
        return int(row["waiting"]) if row else 0
