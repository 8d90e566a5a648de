"""Functions that read the files that define games."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

from shapley_coop.files import read_data
from shapley_coop.games.params import GameError

_Read = TypeVar("_Read")


def read_file(path: str | Path, what: str) -> Any:
    """Return the content of a YAML file, or of a JSON file if its name ends in .json.

    Args:
        path: the path of the file.
        what: the expected content, as errors name it, such as "a game".

    Raises:
        GameError: the file cannot be read; the one-line error quotes nothing from the file.
    """
    return read_data(path, what, private=True, problem=GameError)


def read_once(path: str | Path, what: str, read: Callable[[Path], _Read]) -> _Read:
    """Return `read(path)`, cached until the file changes.

    Args:
        path: the path of the file.
        what: the kind of the file, as errors name it, such as "market file".
        read: a function that parses the file at a path.

    Raises:
        GameError: there is no such regular file, or `read` raises this error.
    """
    file = Path(path)
    try:
        if file.is_file():  # reading a pipe or a device could wait for ever
            return cast(_Read, _read_file(read, file, file.stat().st_mtime_ns))
    except OSError:
        pass
    raise GameError(f"{file}: there is no such {what}")


@lru_cache(maxsize=32)
def _read_file(read: Callable[[Path], Any], file: Path, _: int) -> Any:
    return read(file)
