"""Runs that ended their server twice at the same step are not started a third time.

A run that holds the interpreter, or takes all memory, ends with its server, and the server would
start it again. So each start of a run is noted with the checkpoint that it starts from; a server
that ends in order takes its notes back. A run whose last two servers were killed, the last one
before the run had reached another checkpoint, fails instead; other runs that were killed beside
it have gone on by then. A new run on the same thread goes on where it stands.
"""

import asyncio
from functools import cache
from uuid import uuid4

from shapley_coop.state.storage.database import facts_at
from shapley_coop.state.storage.facts import key_prefix
from shapley_coop.state.storage.home import home

START = "start"
"""A kind of facts: that a server starts a run, under the run and a number; of no owner."""

SERVER = uuid4().hex
"""This process."""

KILLS = 2


class Quarantined(RuntimeError):
    """A run that ended its server twice."""


class Starts:
    """The starts of runs whose servers have not ended in order.

    Args:
        url: of the database.
    """

    def __init__(self, url: str) -> None:
        self._facts = facts_at(url)

    def note(self, run: str, head: str, server: str = SERVER) -> None:
        """Note that a server starts a run from a checkpoint.

        Raises:
            Quarantined: it has ended its last two servers, and gets no further.
        """
        with self._facts.writing("", f"starts of {run}") as session:
            every = [x.value for x in session.read(START, "", beginnings=[key_prefix(run)])]
            before = [one for one in every if one["server"] != server]
            if len({one["server"] for one in before}) >= KILLS and before[-1]["head"] == head:
                raise Quarantined(
                    f"run {run} ended its server twice at this step, and is not started again:"
                    " create a new run on its thread to go on"
                )
            session.append(START, "", {"server": server, "head": head}, run)

    def forget(self, server: str = SERVER) -> None:
        """Take the notes of a server back, which ends in order."""
        with self._facts.writing("") as session:
            every = session.read(START, "")
            session.forget(START, "", [x.key for x in every if x.value["server"] == server])

    def count(self) -> int:
        """Return the number of notes."""
        with self._facts.reading("") as session:
            return len(session.read(START, ""))


@cache  # to open it makes its tables
def starts(url: str) -> Starts:
    """Return the notes in a database."""
    return Starts(url)


async def note_start(run: str, head: str) -> None:
    """Note a start; see `Starts.note`."""
    await asyncio.to_thread(lambda: starts(home().books_url).note(run, head))


async def end_notes() -> None:
    """Take this server's notes back."""
    await asyncio.to_thread(lambda: starts(home().books_url).forget())
