"""How an extension asks the people at a run's table: by web pages or at this terminal.

The extension's object `tables` implements `Tables`. Without this extension, a run that waits for a
person names the extension that is missing.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol

import typer

from shapley_coop import extension
from shapley_coop.cli.console import note, say

if TYPE_CHECKING:
    from shapley_coop.state.run_config import RunConfig

Serve = Annotated[bool, typer.Option("--serve", help="Serve a page for each person until Ctrl-C.")]
Host = Annotated[str, typer.Option(help="The pages' address (0.0.0.0: all).")]

LOOPBACK = "127.0.0.1"
ABSENT = "needs the extension people, which is not here: coop list names those that are"


class Pages(Protocol):
    """The web pages on which the people in a run give their answers."""

    async def follow(self, watch: Any = None, traced: Any = None) -> dict[str, Any]:
        """Play a run to its end like `graphs.running.follow`, with the answers from the pages."""


class Tables(Protocol):
    """The interface that an extension implements to ask the people at a run's table."""

    def make_ready(self, host: str, port: int) -> None:
        """Raise an error if pages cannot be served there, before a run is registered for them."""

    def serve(
        self, run: Any, people: Sequence[str], host: str, port: int, tell: Callable[[str], None]
    ) -> Pages:
        """Serve a page for each person of a run, and pass each page's address to `tell`."""

    def stay(self) -> None:
        """Keep serving the pages until Ctrl-C."""

    def at_terminal(
        self, hidden: Callable[[], AbstractContextManager[None]]
    ) -> Callable[[Any], str]:
        """Return a function from a person's letter to the answer that is typed at this terminal.

        Args:
            hidden: a context in which the spinner is hidden.
        """


def tables(what: str) -> Tables:
    """Return the extension's object that asks people.

    Raises:
        ValueError: no extension asks people; the message says that `what` needs one.
    """
    found: Tables = extension.only("tables", f"{what} {ABSENT}")
    return found


def answered_by(command: str) -> str:
    """Return the command by which a person answers, or a text that says what must be installed."""
    return command if extension.offered("tables") else f"coop answer {ABSENT}"


class Serving(NamedTuple):
    """The values of the options `--serve`, `--host` and `--port`."""

    wanted: bool = False
    host: str = LOOPBACK
    port: int = 0

    def check(self, config: "RunConfig") -> "RunConfig":
        """Return a run's configuration; refuse to serve pages if no person takes part in the run.

        Raises:
            ValueError: `--serve` is given without a person's seat or without the extension that
                serves pages, or `--port` is given without `--serve`.
            ModuleNotFoundError: an extension that the pages need is absent.
        """
        self.check_place()
        if self.wanted and not any(seat.human for seat in config.seats.values()):
            raise ValueError("--serve: no person sits at this table: give --agent NAME=human")
        return config

    def check_place(self) -> "Serving":
        """Return the options.

        Raises:
            ValueError: `--host` or `--port` is given without `--serve`, or no server can listen
                there.
        """
        if not self.wanted and self != Serving():
            raise ValueError("--host and --port say where --serve listens: give --serve, too")
        if self.wanted:
            tables("--serve").make_ready(self.host, self.port)
        return self

    def pages(self, run: Any, as_json: bool) -> Pages | None:
        """Serve the pages of the people at a run's table, and print their addresses."""
        from shapley_coop.state.settings import config_of

        seats = self.check(config_of(run.room)).seats
        if not self.wanted:
            return None
        people = [agent for agent, seat in seats.items() if seat.human]
        tell = note if as_json else say
        return tables("--serve").serve(run, people, self.host, self.port, tell)
