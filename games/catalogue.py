"""Finding a game: a module or payoff file in this folder, one's own file, a table, an import."""

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from shapley_coop.games.game import Game, GameError

_HERE = Path(__file__).parent
_SCHEME = "pettingzoo:"


def names() -> list[str]:
    """The games that can be named, sorted."""
    found = {path.stem for path in _HERE.glob("*.yaml")}
    return sorted(found | {entry.stem for entry in _HERE.iterdir() if _defines_a_game(entry.stem)})


def summary(name: str) -> str:
    """One line on a named game."""
    return load(name).summary()


def load(
    game: str | Mapping[str, Any], params: Mapping[str, Any] | None = None, seed: int = 0
) -> Game:
    """Build a game.

    Args:
        game: a name from `names`, a path to a YAML or JSON payoff file, such a file's content, or
            `pettingzoo:package.module:factory` for a PettingZoo `ParallelEnv`.
        params: numbers that replace the game's defaults.
        seed: of all its dice.

    Raises:
        GameError: there is no such game, its file cannot be read, or a parameter is wrong.
    """
    table = read(game)
    if isinstance(table, str) and table.startswith(_SCHEME):
        imported: type[Game] = import_module("shapley_coop.games.pettingzoo.bridge").PettingZooGame
        return imported({**(params or {}), "factory": table.removeprefix(_SCHEME)}, seed)
    if isinstance(table, str):
        kind: type[Game] = import_module(f"shapley_coop.games.{table}").GAME
        return kind(params, seed)
    matrix: type[Game] = import_module("shapley_coop.games.matrix").GAME
    return matrix({**table, **(params or {})}, seed)


def read(game: str | Mapping[str, Any]) -> str | dict[str, Any]:
    """What a game's name stands for: a module's name, an import, or a payoff file's content.

    A run stores this, so that it can be resumed when the file is gone.
    """
    if not isinstance(game, str):
        return dict(game)
    if game.startswith(_SCHEME) or _defines_a_game(game):
        return game
    path = _HERE / f"{game}.yaml" if game.isidentifier() else Path(game)
    if not _is_file(path):
        what = "file" if Path(game).suffix else "game"
        raise GameError(f"no {what} {game[:200]!r}: there are {', '.join(names())}, or give a file")
    return _parse(path)


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
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise GameError(f"{path}: cannot be read as a game: {reason}") from None
    if not isinstance(content, dict):
        raise GameError(f"{path}: holds no game: give name, agents, actions and payoffs")
    return content
