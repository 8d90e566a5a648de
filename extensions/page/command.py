"""`coop view`: the pages of runs, live and in replay."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import note, say
from shapley_coop.cli.options import Port

if TYPE_CHECKING:
    from shapley_coop.extensions.page.run_sources import RunSource

Private = Annotated[
    bool,
    typer.Option("--private", help="Include private reasoning and refused drafts."),
]


def view(
    what: Annotated[
        str, typer.Argument(help="A run, or a folder of bundles; by default all runs.")
    ] = "",
    port: Port = 0,
    private: Private = False,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = False,
) -> None:
    """Serve the viewer on this machine, to watch runs live and in replay."""
    import webbrowser
    from urllib.parse import quote

    from shapley_coop.extensions.page.local import LOOPBACK, viewer

    source, run = _source(what)
    with viewer(source, port, private) as server:
        query = f"?run={quote(run, safe='')}" if run else ""
        address = f"http://{LOOPBACK}:{server.server_port}/view/{query}"
        say(address)
        note("Ctrl-C ends it.")
        if browser:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            note("")


def _source(what: str) -> "tuple[RunSource, str]":
    """Return the source of the runs to view, and the run to show first ("" if none is named)."""
    from shapley_coop.extensions.page.run_sources import FolderSource, HomeSource

    if what and Path(what).is_dir():
        return FolderSource(Path(what)), ""
    if what:
        HomeSource().get(what, private=False)
    return HomeSource(), what
