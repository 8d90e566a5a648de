"""Reading the files that games are made of."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

from shapley_coop.files import read_data
from shapley_coop.games.params import GameError

_Read = TypeVar("_Read")


def read_file(path: str | Path, what: str) -> Any:
    """Return what a YAML file holds, or a JSON file if its name ends in .json.

    Args:
        path: of the file.
        what: what the file is to be, as in "a game".

    Raises:
        GameError: it cannot be read; one line, which quotes nothing of the file.
    """
    return read_data(path, what, private=True, problem=GameError)


def read_once(path: str | Path, what: str, read: Callable[[Path], _Read]) -> _Read:
    """Return what is made of a file, which is read again only once it has changed.

    Args:
        path: of the file.
        what: what the file is to be: "market file".
        read: makes it of the path.

    Raises:
        GameError: there is no such regular file, or `read` raises it.
    """
    file = Path(path)
    try:
        if file.is_file():  # of a pipe or a device, a reader might not return
            return cast(_Read, _read_file(read, file, file.stat().st_mtime_ns))
    except OSError:
        pass
    raise GameError(f"{file}: no such {what}")


@lru_cache(maxsize=32)
def _read_file(read: Callable[[Path], Any], file: Path, _: int) -> Any:
    return read(file)
