"""Finding a game: a module or payoff file in this folder, one's own file, a table, an import."""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
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
from shapley_coop.games.variants import variant_of

_HERE = Path(__file__).parent
_SCHEME = re.compile(r"([a-z_]\w+):\S+")


def names() -> list[str]:
    """Return the games that can be named, those of installed packages too, sorted."""
    found = {path.stem for path in _HERE.glob("*.yaml")} | set(extension.offered("games"))
    return sorted(found | {entry.stem for entry in _HERE.iterdir() if _defines_a_game(entry.stem)})


def summary(name: str) -> str:
    """Return one line on a named game; of one that cannot be loaded, why."""
    try:
        return load(name).summary()
    except GameError as error:
        if not _plugged(name):
            raise
        return f"cannot be played: {error}"


def title(game: str | Mapping[str, Any]) -> str:
    """Return what a game is called in results and in the names of runs."""
    if not isinstance(game, str):
        return str(game.get("name", "matrix game"))
    if _scheme(game):
        return game.split(":")[1].rpartition(".")[2]
    if game.startswith(CALLABLE):
        return game.rpartition(":")[2]
    return Path(game).stem if game.endswith(PYTHON) else game


def load(
    game: str | Mapping[str, Any], params: Mapping[str, Any] | None = None, seed: int = 0
) -> Game:
    """Build a game.

    Args:
        game: a name from `names`; a path to a Python file that binds a subclass of `Game` to
            `GAME`, which is run; a path to a YAML or JSON payoff file, or such a file's content;
            `scheme:…` for what an extension plays, as `pettingzoo:package.module:factory`; or
            `python:module:name` for a subclass of `Game`, or a callable that makes one, or what a
            payoff file holds.
        params: numbers that replace the game's defaults.
        seed: of all its dice.

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
        table = {key: told for key, told in table.items() if key != "absent"}  # it was of others
    try:
        return matrix({**table, **(params or {})}, seed)
    except GameError as error:
        if isinstance(game, str) and not game.isidentifier():
            raise GameError(f"{game}: {error}") from None
        raise


def is_program(game: Any) -> bool:
    """Return whether to load this game runs a Python file or imports a module that is not ours."""
    if not isinstance(game, str):
        return False
    # By the path's own suffix, as `read` does: "own.py/" is the same file.
    return Path(game).suffix == PYTHON or game.startswith(CALLABLE) or bool(_scheme(game))


def read(game: str | Mapping[str, Any]) -> str | dict[str, Any]:
    """Return what a game's name stands for: a module, an import, or a payoff file's content.

    A run stores this, so that it can be resumed from any folder; of a Python file it stores the
    absolute path, and needs the file.

    Raises:
        GameError: there is no such game or file, or the text of a game is given.
    """
    if not isinstance(game, str):
        return dict(game)
    if (scheme := _scheme(game)) and scheme not in extension.offered("schemes"):
        raise GameError(f"no extension plays {scheme}:…: coop list shows those that are installed")
    if game.startswith(CALLABLE) or scheme or _defines_a_game(game) or _plugged(game):
        return game
    if "\n" in game.strip():
        raise GameError(
            "this is the text of a game, not its name: give the path of its file, or the "
            "dictionary that it holds, as read by PyYAML"
        )
    path = _HERE / f"{game}.yaml" if game.isidentifier() else Path(game)
    if not _is_file(path):
        what = "file" if Path(game).suffix else "game"
        if what == "file" and os.path.isdir(path):  # Path.is_dir raises for a name too long
            raise GameError(f"{game} is a folder: give a game's name, or a file")
        raise GameError(no_such(what, game, names(), "what an extension may bring, or give a file"))
    return str(path.absolute()) if path.suffix == PYTHON else _parse(path)


def _scheme(game: str) -> str:
    """Return the scheme before a game's colon, as of `pettingzoo:…`; empty where it has none."""
    found = _SCHEME.fullmatch(game)
    return found[1] if found and not game.startswith(CALLABLE) else ""


def foresight_of(facts: Mapping[str, Any]) -> type[Foresight] | None:
    """Return what looks ahead in a letter's game, by its own, its table or its formula; or None.

    Args:
        facts: the letter's. `game` names a game of this folder, or one that this process loaded
            from a file; nothing else is ever imported by what a letter says.
    """
    name = str(facts.get("game") or "")
    module = _module(name) if _defines_a_game(name) else OWN.get(name) or _beside(name)
    found: type[Foresight] | None = getattr(module, "FORESIGHT", None)
    if found is None and "payoffs" in facts:
        found = import_module("shapley_coop.games.enumeration").Enumeration
    if found is None:
        formulas = import_module("shapley_coop.games.symmetric").formulas_for(facts)
        found = formulas and formulas.Foresight
    return found


def _plugged(name: str) -> bool:
    """Return whether an installed package brings a game of this name that is none of ours."""
    if not name.isidentifier() or _defines_a_game(name) or _is_file(_HERE / f"{name}.yaml"):
        return False  # before the packages are looked through, which takes longer
    return name in extension.offered("games")


def _plugin(name: str) -> type[Game]:
    """Return a game that an installed package brings.

    Raises:
        GameError: it cannot be loaded, or is no game.
    """
    try:
        kind = extension.load("games", name)
    except extension.BrokenExtension as error:
        raise GameError(str(error)) from None
    kind = getattr(kind, "GAME", kind)
    if not (isinstance(kind, type) and issubclass(kind, Game)):
        reason = "it is no subclass of shapley_coop.games.Game"
        raise GameError(str(extension.faulty("games", name, reason)))
    if missing := sorted(kind.__abstractmethods__):
        reason = f"{kind.__name__} lacks {', '.join(missing)}: define each"
        raise GameError(str(extension.faulty("games", name, reason)))
    return kind


def _beside(name: str) -> ModuleType | None:
    """Return the module of a game that an installed package brings, for the foresight beside it."""
    return sys.modules.get(_plugin(name).__module__) if _plugged(name) else None


def run_only(programs: Iterable[str]) -> None:
    """From now on run no other Python files and imports than these: callers name games here.

    Args:
        programs: as `load` takes them.
    """
    permit_only({str(read(program)) for program in programs})


def _module(game: str) -> ModuleType:
    """Return the module of a named game, or of a Python file."""
    if game.endswith(PYTHON):
        return module_of_file(game)
    return import_module(f"shapley_coop.games.{game}")


@lru_cache(maxsize=256)  # every letter of an embedded agent asks it
def _defines_a_game(name: str) -> bool:
    if not name.isidentifier() or name in {"catalogue", "matrix"}:
        return False
    places = (_HERE / f"{name}.py", _HERE / name / "__init__.py")
    return any("\nGAME = " in path.read_text(encoding="utf-8") for path in places if _is_file(path))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file system could hold
        return False


def _parse(path: Path) -> dict[str, Any]:
    content = read_file(path, "a game")
    if not isinstance(content, dict):
        raise GameError(f"{path}: holds no game: give name, agents, actions and payoffs")
    return content
