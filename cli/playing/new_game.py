"""`coop new game`: write a template file for a new game."""

import keyword
import re
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from shapley_coop.cli.console import note, say, write_file

_TEMPLATE = Path(__file__).parent / "new_game.txt"


def game(
    name: Annotated[str, typer.Argument(help="The game's name, such as tug or common_store.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="The file to write; by default NAME.py in this folder."),
    ] = None,
) -> None:
    """Write a commented, playable game as a start for your own."""
    from shapley_coop.games import names

    text, kind = new_game(name), _class(name)
    words = (name, kind)
    if name != name.lower() or any(keyword.iskeyword(w) or not w.isidentifier() for w in words):
        raise ValueError(f"{name!r} cannot name a game: use lower-case letters, digits and _")
    if re.search(rf"^from .* import .*\b{kind}\b", text, re.MULTILINE):
        raise ValueError(
            f"{name!r} cannot name a game, as its file would import {kind}: choose another name"
        )
    if name in names():
        raise ValueError(f"a game {name} exists already: choose another name")
    file = out or Path(f"{name}.py")
    if file.exists():
        raise ValueError(f"{file} exists already: choose another name, or another file with --out")
    write_file(file, text)
    say(str(file))
    note(f"play it: coop run {file}")


def new_game(name: str) -> str:
    """Return the source of a commented game with a given name."""
    title = " ".join(name.split("_")).strip().capitalize()
    text = Template(_TEMPLATE.read_text(encoding="utf-8"))
    return text.substitute(name=name, Name=title, Class=_class(name))


def _class(name: str) -> str:
    return "".join(map(str.capitalize, name.split("_")))
