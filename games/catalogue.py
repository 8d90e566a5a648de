"""Loads games: by name, from a Python or payoff file, from a file's content, or by import."""

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from shapley_coop import extension
from shapley_coop.files import no_such
from shapley_coop.games.files import read_file
from shapley_coop.games.foresight import Foresight
from shapley_coop.games.game import Game
from shapley_coop.games.params import GameError
from shapley_coop.games.programs import (
    CALLABLE,
    OWN,
    PYTHON,
    check_permitted,
    import_game,
    module_of_file,
    permit_only,
)
from shapley_coop.games.removed import removed
from shapley_coop.games.variants import variant_of

_HERE = Path(__file__).parent
_SCHEME = re.compile(r"([a-z_]\w+):\S+")


def names() -> list[str]:
    """Return the sorted names of all games, including those of installed packages."""
    found = {path.stem for path in _HERE.glob("*.yaml")} | set(extension.offered("games"))
    return sorted(found | {entry.stem for entry in _HERE.iterdir() if _defines_a_game(entry.stem)})


def summary(name: str) -> str:
    """Return a one-line summary of a named game, or the reason why it cannot be loaded."""
    try:
        return load(name).summary()
    except GameError as error:
        if not _plugged(name):
            raise
        return f"cannot be played: {error}"


def title(game: str | Mapping[str, Any]) -> str:
    """Return a game's title for results and for the names of runs."""
    if not isinstance(game, str):
        return str(game.get("name", "matrix game"))
    if _scheme(game):
        return game.split(":")[1].rpartition(".")[2]
    if game.startswith(CALLABLE):
        return game.rpartition(":")[2]
    return Path(game).stem if game.endswith(PYTHON) else game


def game_name(game: str | Mapping[str, Any]) -> str:
    """Return the name by which a game of this folder is loaded; of another game, its title."""
    known = payoff_files() if isinstance(game, Mapping) else {}
    return next((name for name, content in known.items() if content == game), title(game))


@cache
def payoff_files() -> Mapping[str, Mapping[str, Any]]:
    """Return name → content of the payoff files of this folder."""
    return {path.stem: _parse(path) for path in _HERE.glob("*.yaml")}


def load(
    game: str | Mapping[str, Any], params: Mapping[str, Any] | None = None, seed: int = 0
) -> Game:
    """Build a game.

    Args:
        game: a name from `names`; a path to a Python file, which is run and binds a subclass of
            `Game` to `GAME`; a path to a YAML or JSON payoff file, or the content of that file;
            `scheme:…` for an extension's game, such as `pettingzoo:package.module:factory`; or
            `python:module:name` for a subclass of `Game`, or for a callable that returns a
            subclass of `Game` or the content of a payoff file.
        params: values that replace the game's defaults.
        seed: the seed of all dice.

    Raises:
        GameError: there is no such game, its file cannot be read, or a parameter is wrong.
    """
    table = read(game)
    if isinstance(table, str) and (scheme := _scheme(table)):
        check_permitted(table)
        imported: type[Game] = extension.load("schemes", scheme)
        return imported({**(params or {}), "factory": table.removeprefix(f"{scheme}:")}, seed)
    if isinstance(table, str) and table.startswith(CALLABLE):
        found = import_game(table)
        return found(params, seed) if isinstance(found, type) else load(found, params, seed)
    if isinstance(table, str):
        kind: type[Game] = _plugin(table) if _plugged(table) else _module(table).GAME
        return (variant_of(table, params or {}) or kind)(params, seed)
    matrix: type[Game] = import_module("shapley_coop.games.matrix").GAME
    if params and {"actions", "payoffs"} & params.keys():
        table = {key: told for key, told in table.items() if key != "absent"}  # an old value
    try:
        return matrix({**table, **(params or {})}, seed)
    except GameError as error:
        if isinstance(game, str) and not game.isidentifier():
            raise GameError(f"{game}: {error}") from None
        raise


def is_program(game: Any) -> bool:
    """Return whether loading this game runs a Python file or imports a foreign module."""
    if not isinstance(game, str):
        return False
    # `read` also uses the path's suffix, which counts "own.py/" as the file "own.py".
    return Path(game).suffix == PYTHON or game.startswith(CALLABLE) or bool(_scheme(game))


def read(game: str | Mapping[str, Any]) -> str | dict[str, Any]:
    """Resolve a game: return its name, its import, or its payoff file's content.

    A run stores the result, so that it can be resumed from any folder. The result for a Python
    file is its absolute path, so such a run still needs the file.

    Raises:
        GameError: there is no such game or file, or `game` is the text of a game file.
    """
    if not isinstance(game, str):
        return dict(game)
    if (scheme := _scheme(game)) and scheme not in extension.offered("schemes"):
        raise GameError(f"no installed extension plays {scheme}:…: see coop list")
    if game.startswith(CALLABLE) or scheme or _defines_a_game(game) or _plugged(game):
        return game
    if "\n" in game.strip():
        raise GameError(
            "this is the content of a game's file, not its name: give the file's path, or the "
            "dictionary that PyYAML reads from it"
        )
    path = _HERE / f"{game}.yaml" if game.isidentifier() else Path(game)
    if not _is_file(path):
        what = "file" if Path(game).suffix else "game"
        if what == "file" and os.path.isdir(path):  # Path.is_dir raises for a name too long
            raise GameError(f"{game} is a folder: give a game's name, or a file")
        known = "what an extension may bring, or give a file"
        raise GameError(removed(game) or no_such(what, game, names(), known))
    return str(path.absolute()) if path.suffix == PYTHON else _parse(path)


def _scheme(game: str) -> str:
    """Return the scheme before a game's colon, such as `pettingzoo`, or "" if it has none."""
    found = _SCHEME.fullmatch(game)
    return found[1] if found and not game.startswith(CALLABLE) else ""


def foresight_of(facts: Mapping[str, Any]) -> type[Foresight] | None:
    """Return the class that predicts a letter's game for embedded agents; None if there is none.

    Args:
        facts: the letter's facts. `game` may name a game of this folder, of an installed package,
            or of a file loaded before; the text of a letter never causes any other import.
    """
    name = str(facts.get("game") or "")
    plugged = _plugin(name) if _plugged(name) else None
    kind = _module(name).GAME if _defines_a_game(name) else OWN.get(name) or plugged
    found: type[Foresight] | None = kind.foresight if kind else None
    if found is None and "payoffs" in facts:
        found = import_module("shapley_coop.games.enumeration").Enumeration
    if found is None:
        formulas = import_module("shapley_coop.games.symmetric").formulas_for(facts)
        found = formulas and formulas.Foresight
    return found


def _plugged(name: str) -> bool:
    """Return whether a game of this name comes from an installed package, not from this folder."""
    if not name.isidentifier() or _defines_a_game(name) or _is_file(_HERE / f"{name}.yaml"):
        return False  # this folder first, because reading the installed packages takes longer
    return name in extension.offered("games")


def _plugin(name: str) -> type[Game]:
    """Return the game class of an installed package.

    Raises:
        GameError: the class cannot be loaded, is no complete subclass of `Game`, or has another
            name.
    """
    try:
        kind = extension.load("games", name)
    except extension.BrokenExtension as error:
        raise GameError(str(error)) from None
    if not (isinstance(kind, type) and issubclass(kind, Game)):
        reason = "it is no subclass of shapley_coop.games.Game"
        raise GameError(str(extension.faulty("games", name, reason)))
    if missing := sorted(kind.__abstractmethods__):
        reason = f"{kind.__name__} lacks {', '.join(missing)}: define each"
        raise GameError(str(extension.faulty("games", name, reason)))
    if kind.name != name:
        reason = f"{kind.__name__} has the name {kind.name!r}: give it the name {name!r}"
        raise GameError(str(extension.faulty("games", name, reason)))
    return kind


def run_only(programs: Iterable[str]) -> None:
    """Allow only these Python files and imports from now on, because remote callers can name games.

    Args:
        programs: the allowed games, in the form that `load` takes.
    """
    permit_only({str(read(program)) for program in programs})


def _module(game: str) -> ModuleType:
    """Return the module of a named game, or of a Python file."""
    if game.endswith(PYTHON):
        return module_of_file(game)
    return import_module(f"shapley_coop.games.{game}")


@lru_cache(maxsize=256)  # called for every letter of an embedded agent
def _defines_a_game(name: str) -> bool:
    if not name.isidentifier() or name in {"catalogue", "matrix"}:
        return False
    places = (_HERE / f"{name}.py", _HERE / name / "__init__.py")
    return any("\nGAME = " in path.read_text(encoding="utf-8") for path in places if _is_file(path))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long for the file system
        return False


def _parse(path: Path) -> dict[str, Any]:
    content = read_file(path, "a game")
    if not isinstance(content, dict):
        raise GameError(f"{path}: contains no game: give name, agents, actions and payoffs")
    return content
