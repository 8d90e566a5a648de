"""The functions of `cli.playing.people.Tables`: pages until Ctrl-C, and forms at a terminal."""

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shapley_coop.cli.console import note, say

if TYPE_CHECKING:
    from shapley_coop.extensions.people.pages import SeatPages


def make_ready(host: str, port: int) -> None:
    """Import the pages, which need the extension `page`, and see whether they can be served."""
    from shapley_coop.extensions.people.links import open_server

    import_module(f"{__package__}.pages")
    open_server(host, port).server_close()


def serve(
    run: Any, people: Sequence[str], host: str, port: int, tell: Callable[[str], None] = say
) -> "SeatPages":
    """Serve a page for each person in a run, and print each address."""
    from shapley_coop.extensions.people.pages import SeatPages

    pages = SeatPages(run, people, host, port)
    for agent, link in pages.links.items():
        tell(f"{agent}: {link}")
    tell(f"the run: {pages.record}")
    note("Give each person its own link alone: who has it can answer for that person.")
    note("Links stay the same whenever this home serves the run.")
    note("Ctrl-C ends the pages; what was answered is kept, and the run can go on later.")
    return pages


def stay() -> None:
    """Keep serving the pages until Ctrl-C."""
    note("The pages stay, so that each can read how it ended. Ctrl-C ends them.")
    with suppress(KeyboardInterrupt):
        threading.Event().wait()
    note("")


def at_terminal(hidden: Callable[[], AbstractContextManager[None]]) -> Callable[[Any], str]:
    """Return a function that asks people at this terminal (`answer.ask_at_terminal`)."""
    from shapley_coop.extensions.people.answer import ask_at_terminal

    return ask_at_terminal(hidden)
