"""Finding a game: a module or a payoff file in this folder, a file of one's own, or a table."""

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from games.game import Game, GameError

_HERE = Path(__file__).parent
_NO_GAMES = {"__init__", "catalogue", "dice", "game"}


def names() -> list[str]:
    """The games that can be named, sorted."""
    found = {path.stem for path in _HERE.glob("*.yaml")}
    for path in _HERE.glob("*.py"):
        if path.stem not in _NO_GAMES and "\nGAME = " in path.read_text(encoding="utf-8"):
            found.add(path.stem)
    return sorted(found - {"matrix"})


def summary(name: str) -> str:
    """One line on a named game."""
    return load(name).summary()


def load(
    game: str | Mapping[str, Any], params: Mapping[str, Any] | None = None, seed: int = 0
) -> Game:
    """Build a game.

    Args:
        game: a name from `names`, a path to a YAML or JSON payoff file, or such a file's content.
        params: numbers that replace the game's defaults.
        seed: of all its dice.

    Raises:
        GameError: there is no such game, its file cannot be read, or a parameter is wrong.
    """
    table = read(game)
    if isinstance(table, str):
        kind: type[Game] = import_module(f"games.{table}").GAME
        return kind(params, seed)
    matrix: type[Game] = import_module("games.matrix").GAME
    return matrix({**table, **(params or {})}, seed)


def read(game: str | Mapping[str, Any]) -> str | dict[str, Any]:
    """What a game's name stands for: a module's name, or the content of a payoff file.

    A run stores this, so that it can be resumed when the file is gone.
    """
    if not isinstance(game, str):
        return dict(game)
    if game.isidentifier() and (_HERE / f"{game}.py").exists() and game not in _NO_GAMES:
        return game
    path = _HERE / f"{game}.yaml" if game.isidentifier() else Path(game)
    if not path.is_file():
        what = "file" if Path(game).suffix else "game"
        raise GameError(f"no {what} {game!r}: there are {', '.join(names())}, or give a file")
    return _parse(path)


def _parse(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, ValueError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise GameError(f"{path}: cannot be read as a game: {reason}") from None
    if not isinstance(content, dict):
        raise GameError(f"{path}: holds no game: give name, agents, actions and payoffs")
    return content
