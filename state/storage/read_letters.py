"""Which letters were shown to the people whom they are for: no reply is taken for another."""

from contextlib import suppress
from typing import Any

from shapley_coop.seats.records import Mail
from shapley_coop.state.storage.driver import KeyTaken
from shapley_coop.state.storage.owned import MINE, OwnedBook, owned

_read = owned(
    "read_letters",
    """
    episode VARCHAR(64) NOT NULL,
    agent VARCHAR(64) NOT NULL,
    letter VARCHAR(64) NOT NULL,
    attempt INTEGER NOT NULL,
    PRIMARY KEY (episode, agent, letter, attempt)
    """,
)
_SHOWN = f"""
    SELECT 1 AS shown FROM read_letters
    WHERE episode = :episode AND agent = :agent AND letter = :letter AND attempt = :attempt
    AND {MINE}
"""  # noqa: S608 - constants
_FORGET = "DELETE FROM read_letters WHERE episode = :episode AND owner = :owner"


class ReadLetters(OwnedBook):
    """The letters of all episodes of one database that were shown; hashes alone."""

    def add(self, episode: str, mail: Mail) -> None:
        """Remember that a letter was shown to the person whom it is for."""
        with suppress(KeyTaken):  # it was shown before
            self._write(_read.insert, _place(episode, mail))

    def has(self, episode: str, mail: Mail) -> bool:
        """Whether a letter was shown to the person whom it is for."""
        return self._row(_SHOWN, _place(episode, mail), episode) is not None

    def remove(self, episode: str) -> None:
        """Forget the letters of an episode."""
        self._write(_FORGET, {"episode": episode})


def _place(episode: str, mail: Mail) -> dict[str, Any]:
    at = {"letter": mail.letter, "attempt": mail.attempt}
    return {"episode": episode, "agent": mail.agent, **at}
