"""Which letters were shown to the people whom they are for: no reply is taken for another."""

from contextlib import suppress
from typing import Any

from sqlalchemy import Column, Integer, String, Table, delete, insert, select
from sqlalchemy.exc import IntegrityError

from shapley_coop.seats.records import Mail
from shapley_coop.state.storage.owned import OWNED, OwnedBook, owner_column
from shapley_coop.state.storage.owners import holder

_read = Table(
    "read_letters",
    OWNED,
    owner_column(),
    Column("episode", String(64), primary_key=True),
    Column("agent", String(64), primary_key=True),
    Column("letter", String(64), primary_key=True),
    Column("attempt", Integer, primary_key=True),
)


class ReadLetters(OwnedBook):
    """The letters of all episodes of one database that were shown; hashes alone."""

    def add(self, episode: str, mail: Mail) -> None:
        """Remember that a letter was shown to the person whom it is for."""
        with suppress(IntegrityError):  # it was shown before
            self._write((insert(_read), {**_place(episode, mail), "owner": holder().owner}))

    def has(self, episode: str, mail: Mail) -> bool:
        """Whether a letter was shown to the person whom it is for."""
        query = select(_read).filter_by(**_place(episode, mail))
        return self._row(self._seen(query, _read, episode)) is not None

    def remove(self, episode: str) -> None:
        """Forget the letters of an episode."""
        self._write((delete(_read).filter_by(episode=episode, owner=holder().owner), None))


def _place(episode: str, mail: Mail) -> dict[str, Any]:
    at = {"letter": mail.letter, "attempt": mail.attempt}
    return {"episode": episode, "agent": mail.agent, **at}
