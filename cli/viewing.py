"""`coop view` and `coop page`: a run as a page, live, in replay, or as one file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.console import note, say

if TYPE_CHECKING:
    from serve.shelves import Shelf

Private = Annotated[
    bool,
    typer.Option("--private", help="With private reasoning and refused drafts: for the operator."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(view)
    app.command()(page)


def view(
    what: Annotated[
        str, typer.Argument(help="A run, a folder of bundles, or nothing for all runs.")
    ] = "",
    port: Annotated[int, typer.Option(help="0 takes a free one.", min=0, max=65535)] = 0,
    private: Private = False,
    browser: Annotated[bool, typer.Option(help="Open it in a browser.")] = False,
) -> None:
    """Serve the page on this machine: live while a run is played, and in replay."""
    import webbrowser
    from urllib.parse import quote

    from serve.local import LOOPBACK, viewer

    shelf, run = _shelf(what)
    with viewer(shelf, port, private) as server:
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


def page(
    run: Annotated[str, typer.Argument(help="The run's name; coop runs lists them.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The file: .html for the page, .json for its data.")
    ],
    private: Private = False,
) -> None:
    """Write a run as one HTML file that loads nothing, or as the bundle behind it."""
    from serve.selfcontained import selfcontained
    from serve.shelves import HomeShelf

    bundle = HomeShelf().get(run, private)
    match out.suffix:
        case ".html":
            text = selfcontained(bundle)
        case ".json":
            text = json.dumps(bundle, ensure_ascii=False, indent=1)
        case other:
            raise ValueError(f"--out {out}: give a name in .html or .json, not {other or 'none'}")
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"--out {out}: cannot be written ({error.strerror})") from None
    say(str(out))


def _shelf(what: str) -> "tuple[Shelf, str]":
    """What to show, and the run to begin with."""
    from serve.shelves import FolderShelf, HomeShelf

    if what and Path(what).is_dir():
        return FolderShelf(Path(what)), ""
    if what:
        HomeShelf().get(what, private=False)
    return HomeShelf(), what
