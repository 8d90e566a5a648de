"""`--serve`: pages for the people in a run, which stay until Ctrl-C."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from shapley_coop.cli.console import note, say

if TYPE_CHECKING:
    from shapley_coop.extensions.people.pages import SeatPages
    from shapley_coop.state.run_config import RunConfig

Serve = Annotated[bool, typer.Option("--serve", help="Serve a page for each person until Ctrl-C.")]
Host = Annotated[str, typer.Option(help="Its address (0.0.0.0: all).")]

LOOPBACK = "127.0.0.1"


class Serving(NamedTuple):
    """The options `--serve`, `--host` and `--port`."""

    wanted: bool = False
    host: str = LOOPBACK
    port: int = 0

    def check(self, config: "RunConfig") -> "RunConfig":
        """Return a run's configuration; refuse pages that nobody would read.

        Raises:
            ValueError: `--serve` is given without a person's seat, or `--port` without `--serve`.
        """
        if not self.wanted and self != Serving():
            raise ValueError("--host and --port say where --serve listens: give --serve, too")
        if self.wanted and not any(seat.human for seat in config.seats.values()):
            raise ValueError("--serve: no person sits at this table: give --agent NAME=human")
        return config

    def pages(self, run: Any, as_json: bool) -> "SeatPages | None":
        """Serve the pages of the people at a run's table, and print their addresses."""
        from shapley_coop.state.settings import config_of

        seats = self.check(config_of(run.room)).seats
        if not self.wanted:
            return None
        people = [agent for agent, seat in seats.items() if seat.human]
        return serve_pages(run, people, self.host, self.port, note if as_json else say)


def serve_pages(
    run: Any, people: Sequence[str], host: str, port: int, tell: Any = say
) -> "SeatPages":
    """Serve the pages of a run's people, and print each address."""
    from shapley_coop.extensions.people.pages import SeatPages

    pages = SeatPages(run, people, host, port)
    for agent, link in pages.links.items():
        tell(f"{agent}: {link}")
    tell(f"the run: {pages.record}")
    note("Give each person its own link alone: who has it can answer for that person.")
    note("Links stay the same whenever this home serves the run.")
    note("Ctrl-C ends the pages; what was answered is kept, and the run can go on later.")
    return pages


def stay(pages: "SeatPages | None") -> None:
    """Keep serving the pages, if there are any, until Ctrl-C."""
    if pages is None:
        return
    note("The pages stay, so that each can read how it ended. Ctrl-C ends them.")
    with suppress(KeyboardInterrupt):
        threading.Event().wait()
    note("")
