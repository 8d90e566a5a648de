"""Which batch of a provider's holds which letter, so that none is paid for twice after a kill."""

import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import (
    Column,
    Float,
    Integer,
    String,
    Table,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from shapley_coop.seats.records import Asked
from shapley_coop.state.storage.journal import answers
from shapley_coop.state.storage.owned import OWNED, OwnedBook, owner_column
from shapley_coop.state.storage.owners import holder

_letters = Table(
    "batched_letters",
    OWNED,
    owner_column(),
    Column("id", String(64), primary_key=True),
    # The journal's own key of the answer to come.
    Column("episode", String(64), nullable=False, index=True),
    Column("agent", String(64), nullable=False),
    Column("letter", String(64), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("model", String(200), nullable=False),
    Column("sweep", String(64), nullable=False),
    Column("file", String(200), nullable=False, index=True),
    Column("batch", String(200), nullable=False),
    Column("since", Float, nullable=False),
)

KEPT = 30 * 86400
"""Seconds for which a provider keeps the files of a batch: what is older waits for nothing."""

_KEY = ("episode", "agent", "letter", "attempt", "model")


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
        place = {**held._asdict(), "sweep": sweep, "owner": holder().owner}
        rows = [
            {"id": name, "episode": episode, **asked._asdict(), **place}
            for name, (episode, asked) in letters.items()
        ]
        self._write((insert(_letters), rows))

    def begun(self, file: str, batch: str) -> None:
        """Note the provider's name of the batch of a file."""
        self._write((update(_letters).filter_by(file=file).values(batch=batch), None))

    def find(self, name: str) -> Held | None:
        """Where the letter of an id is; None if it is in no batch."""
        query = select(_letters.c.file, _letters.c.batch, _letters.c.since).filter_by(id=name)
        row = self._row(self._seen(query, _letters))
        return Held(row.file, row.batch, row.since) if row else None

    def forget(self, names: Iterable[str]) -> None:
        """Have letters asked anew: their batch has no answer to them."""
        if rows := [{"one": name} for name in names]:
            self._write((delete(_letters).where(_letters.c.id == bindparam("one")), rows))

    def forget_file(self, file: str) -> None:
        """Have the letters of a file asked anew: it has no batch."""
        self._write((delete(_letters).filter_by(file=file), None))

    def remove(self, episode: str) -> None:
        """Forget the letters of an episode."""
        self._write((delete(_letters).filter_by(episode=episode), None))

    def waiting(self, sweep: str) -> int:
        """How many letters of a sweep are in batches and not answered in the journal."""
        same: list[Any] = [_letters.c[name] == answers.c[name] for name in _KEY]
        recent = _letters.c.since > time.time() - KEPT
        query = select(func.count()).select_from(_letters).filter_by(sweep=sweep)
        query = query.where(recent, ~exists().where(*same))
        row = self._row(self._seen(query, _letters))
        return int(row[0]) if row else 0
