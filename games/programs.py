"""Programs that define games (Python files and callables), and the permission to run them."""

import os
import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from shapley_coop.games.game import Game
from shapley_coop.games.params import GameError

CALLABLE = "python:"
PYTHON = ".py"

_named: set[str] | None = None
"""The files and imports that may be run; None if all programs may, as on a command line."""


def permit_only(programs: Iterable[str]) -> None:
    """Allow only these programs from now on."""
    global _named  # noqa: PLW0603 - a property of the process
    _named = {*programs}


def check_permitted(program: str) -> None:
    """Refuse a program that this process may not run.

    Raises:
        GameError: the command line of this process does not name the program.
    """
    if _named is not None and program not in _named:
        raise GameError(
            f"{program[:200]}: this server runs only the programs named at its start: coop dev "
            f"--game {program[:200]}"
        )


OWN: dict[str, type[Game]] = {}
"""Name of a game → its class, for the programs that this process has loaded."""

_files: set[str | None] = set()
"""The files of these programs."""


def module_of_file(game: str) -> ModuleType:
    """Return the module of a Python file; a file that has changed is run again.

    Raises:
        GameError: the file may not be run here, cannot be run, or defines no game.
    """
    check_permitted(game)
    try:
        source = Path(game).read_bytes()
    except OSError as error:
        raise GameError(f"{game}: cannot be read: {error.strerror}") from None
    # A remote caller may name the file, so only files that define a game are run.
    if not (re.search(rb"^GAME\b.*=", source, re.M) and b"shapley_coop" in source):
        raise GameError(f"{game}: defines no game: end it with GAME = YourGame, a subclass of Game")
    return _run(game, source)


def import_game(game: str) -> type[Game] | dict[str, Any]:
    """Import a subclass of `Game`, or import and call a function that returns a game.

    Raises:
        GameError: the import may not be run here, fails, or makes no game.
    """
    check_permitted(game)
    path, _, name = game.removeprefix(CALLABLE).partition(":")
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)  # last, so that no file of this folder shadows a package
    try:
        module = import_module(path)
        made = getattr(module, name)
        if not (isinstance(made, type) and issubclass(made, Game)):
            made = made()
    except Exception as error:  # a foreign module may raise anything
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        where = " here, but in the program that began the run" if path == "__main__" else ""
        raise GameError(f"{game}: cannot be built{where}: {said}") from None
    if isinstance(made, type) and issubclass(made, Game):
        if missing := sorted(made.__abstractmethods__):
            raise GameError(f"{game}: {made.__name__} lacks {', '.join(missing)}: define each")
        OWN[made.name] = made
        _files.add(module.__file__)
        return made
    if isinstance(made, Mapping):
        return dict(made)
    raise GameError(
        f"{game}: its GAME or factory gave a {type(made).__name__}: return a subclass of Game, or "
        "a payoff table"
    )


@lru_cache(maxsize=64)
def _run(path: str, source: bytes) -> ModuleType:
    module = ModuleType(f"game_{Path(path).stem}")
    module.__file__ = path
    try:
        # Not imported: a cached bytecode can be stale for a changed file of the same length.
        exec(compile(source, path, "exec"), module.__dict__)  # noqa: S102 - the user's own game
    except Exception as error:  # a foreign file may raise anything
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise GameError(f"{path}: cannot be run: {said[:300]}") from None
    kind = getattr(module, "GAME", None)
    if not (isinstance(kind, type) and issubclass(kind, Game)):
        raise GameError(f"{path}: GAME is not a subclass of shapley_coop.games.Game")
    if missing := sorted(kind.__abstractmethods__):
        raise GameError(f"{path}: {kind.__name__} lacks {', '.join(missing)}: define each")
    OWN[kind.name] = kind
    _files.add(path)
    return module


def own_fault(error: BaseException) -> str:
    """Return file, line and error if a loaded program failed during play; otherwise "".

    Games get positions and actions only, so the error shows nothing private.
    """
    frames = traceback.extract_tb(error.__traceback__)
    at = next((frame for frame in reversed(frames) if frame.filename in _files), None)
    if at is None:
        return ""
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return f"{at.filename}, line {at.lineno}, in {at.name}: {said}"
