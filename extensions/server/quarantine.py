"""The quarantine of runs that killed their server twice at the same step.

A run that blocks the interpreter or takes all memory kills its server, and the restarted server
would start the run again. So the server notes each start of a run with the run's checkpoint. A
server that shuts down normally deletes its notes. A run fails if two servers were killed during the
run and no checkpoint was added since the last start. A run with a new checkpoint continues.
A new run on a quarantined run's thread continues from the last checkpoint.
"""

import asyncio
from functools import cache
from uuid import uuid4

from shapley_coop.state.storage.facts import facts_at, key_prefix
from shapley_coop.state.storage.home import home

START = "start"
"""The kind of stored facts that note a server's start of a run; these facts have no owner."""

SERVER = uuid4().hex
"""The random id of this server process."""

KILLS = 2


class Quarantined(RuntimeError):
    """The error for a run that has killed its server twice at the same checkpoint."""


class Starts:
    """The notes that servers write when they start runs; a killed server leaves its notes.

    Args:
        url: the database's address.
    """

    def __init__(self, url: str) -> None:
        self._facts = facts_at(url)

    def note(self, run: str, head: str, server: str = SERVER) -> None:
        """Note that a server starts a run at the checkpoint with id `head`.

        Raises:
            Quarantined: two other servers were killed during this run, the last at this checkpoint.
        """
        with self._facts.writing("", f"starts of {run}") as session:
            every = [x.value for x in session.read(START, "", beginnings=[key_prefix(run)])]
            before = [one for one in every if one["server"] != server]
            if len({one["server"] for one in before}) >= KILLS and before[-1]["head"] == head:
                raise Quarantined(
                    f"run {run} crashed its server twice at this step, and is not started again: "
                    "create a new run on its thread to continue"
                )
            session.append(START, "", {"server": server, "head": head}, run)

    def forget(self, server: str = SERVER) -> None:
        """Delete a server's notes when the server shuts down normally."""
        with self._facts.writing("") as session:
            every = session.read(START, "")
            session.forget(START, "", [x.key for x in every if x.value["server"] == server])

    def count(self) -> int:
        """Return the number of notes of all servers."""
        with self._facts.reading("") as session:
            return len(session.read(START, ""))


@cache  # cached, because opening a database creates its tables each time
def starts(url: str) -> Starts:
    """Return the notes on starts of runs that the database at a URL keeps."""
    return Starts(url)


async def note_start(run: str, head: str) -> None:
    """Note a start of a run without blocking the event loop (`Starts.note`)."""
    await asyncio.to_thread(lambda: starts(home().books_url).note(run, head))


async def end_notes() -> None:
    """Delete this server's notes."""
    await asyncio.to_thread(lambda: starts(home().books_url).forget())
