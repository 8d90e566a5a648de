"""`coop list`: list games, workflows, characters and extensions, or one game's parameters."""

import json
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import say, say_json, show_table
from shapley_coop.cli.options import Json

MOST_SHOWN = 40
"""The most characters of a default value in a table; `--json` shows the whole value."""


def list_(
    game: Annotated[
        str,
        typer.Argument(
            help="A game, by its name or file: list its parameters, which --set changes.",
            show_default=False,
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """List games, workflows, embedded characters and extensions, or the parameters of one game."""
    if game:
        _list_parameters(game, as_json)
        return
    from shapley_coop import extension, games, graphs
    from shapley_coop.seats.embedded import CHARACTERS

    extensions = {name: one.about for name, one in extension.installed().items()}
    found = {
        "games": {name: games.summary(name) for name in games.names()},
        "graphs": {name: graphs.summary(name) for name in graphs.names()},
        "characters": {f"embedded:{name}": c.about for name, c in CHARACTERS.items()},
        "extensions": extensions | {n: f"not loaded: {w}" for n, w in extension.broken().items()},
    }
    if as_json:
        say_json(found)
        return
    for title, entries in found.items():
        say(f"{title}, of any game unless some are named:" if title == "graphs" else f"{title}:")
        for name, about in entries.items():
            say(f"  {name:<24} {about}{_plays(name) if title == 'graphs' else ''}")
        say()


def _plays(graph: str) -> str:
    """Return a sentence with the games that a workflow plays, or "" if it plays any game."""
    from shapley_coop.games import Game
    from shapley_coop.graphs.catalogue import builder
    from shapley_coop.state.workflow_config import playable

    kind = builder(graph).plays
    return "" if kind is Game else f" Plays {', '.join(playable(kind))}."


def _list_parameters(name: str, as_json: bool) -> None:
    from shapley_coop import graphs
    from shapley_coop.games import load, names
    from shapley_coop.games.parameter_list import parameters

    if name in graphs.names() and name not in names():
        raise ValueError(f"{name} is a workflow, not a game: coop graph {name} shows it")
    game = load(name)
    found = parameters(game)
    if as_json:
        known = [one._asdict() for one in found]
        say_json({"game": name, "about": game.summary(), "parameters": known})
        return
    rows = [
        [one.name, one.type, _show_default(one.default), one.bounds, one.meaning] for one in found
    ]
    heads = ["parameter", "type", "default", "bounds", "meaning"]
    caption = "Set one with --set PARAMETER=VALUE, several with --params FILE."
    show_table(f"{name}: {game.summary()}", heads, rows, caption, whole=heads[0], words=heads)


def _show_default(default: Any) -> str:
    """Return a default value in the syntax of `--set`, cut if it is long."""
    plain = isinstance(default, str) and default
    text = default if plain else json.dumps(default, ensure_ascii=False)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"
