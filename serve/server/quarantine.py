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

from shapley_coop.state import home
from shapley_coop.state.storage.database import Book
from shapley_coop.state.storage.tables import Table

_starts = Table(
    "run_starts",
    """
    number COUNTED NOT NULL,
    run VARCHAR(64) NOT NULL,
    server VARCHAR(32) NOT NULL,
    head VARCHAR(64) NOT NULL,
    PRIMARY KEY (number)
    """,
    (("INDEX", "ix_run_starts_run", "run"),),
)
_BEFORE = """
    SELECT server, head FROM run_starts WHERE run = :run AND server <> :server ORDER BY number
"""

SERVER = uuid4().hex
"""This process."""

KILLS = 2


class Quarantined(RuntimeError):
    """A run that ended its server twice."""


class Starts(Book):
    """The starts of runs whose servers have not ended in order."""

    tables = {_starts.name: _starts}  # noqa: RUF012 - declared by `Book`

    def note(self, run: str, head: str, server: str = SERVER) -> None:
        """Note that a server starts a run from a checkpoint.

        Raises:
            Quarantined: it has ended its last two servers, and gets no further.
        """
        start = {"run": run, "server": server, "head": head}
        with self._database.writing() as session:
            before = session.rows(_BEFORE, {"run": run, "server": server})
            if len({row["server"] for row in before}) >= KILLS and before[-1]["head"] == head:
                raise Quarantined(
                    f"run {run} ended its server twice at this step, and is not started again:"
                    " create a new run on its thread to go on"
                )
            session.write(_starts.insert, [start])

    def forget(self, server: str = SERVER) -> None:
        """Take the notes of a server back, which ends in order."""
        with self._database.writing() as session:
            session.write("DELETE FROM run_starts WHERE server = :server", [{"server": server}])

    def count(self) -> int:
        """The number of notes."""
        with self._database.reading() as session:
            return int(session.rows("SELECT COUNT(*) AS notes FROM run_starts", {})[0]["notes"])


@cache  # to open it makes its tables
def starts(url: str) -> Starts:
    """The notes in a database."""
    return Starts(url)


async def starting(run: str, head: str) -> None:
    """Note a start; see `Starts.note`."""
    await asyncio.to_thread(lambda: starts(home().books_url).note(run, head))


async def ending() -> None:
    """Take this server's notes back."""
    await asyncio.to_thread(lambda: starts(home().books_url).forget())
