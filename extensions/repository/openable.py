"""A check for FIFOs and devices in a repository, which would make git wait for ever."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

_LARGEST = 100_000
_MOST_DEEP = 5
_WAITING = (stat.S_ISFIFO, stat.S_ISCHR, stat.S_ISBLK)


def never_ends(folder: Path) -> Path | None:
    """Return the first file that could make git wait for ever, or None.

    Args:
        folder: a working tree, a folder within one, or a bare repository.
    """
    here = folder.resolve()
    for place in (here, *here.parents):
        found = place / ".git"
        if _waits(found):
            return found
        if found.exists() or (place / "HEAD").exists():
            start = found if found.exists() else place
            return next((file for file in _files(start) if _waits(file)), None)
    return None


def _files(start: Path, depth: int = 0) -> Iterator[Path]:
    """Yield all files of a git directory, and of the git directories that it refers to."""
    if start.is_file():
        target = _pointed(start, "gitdir:")
        yield from _files(start.parent / target, depth + 1) if target else ()
        return
    if depth > _MOST_DEEP or not start.is_dir():
        return
    for folder, _, names in os.walk(start):
        yield from (Path(folder, name) for name in names)
    for name, base in (("commondir", start), ("objects/info/alternates", start / "objects")):
        if (start / name).is_file():
            target = _pointed(start / name, "")
            yield from _files(base / target, depth + 1) if target else ()


def _pointed(file: Path, word: str) -> str:
    """Return the path that follows a leading word in a file's first line; "" without that word."""
    with file.open("rb") as opened:
        line = os.fsdecode(opened.read(_LARGEST).partition(b"\n")[0])
    return line.removeprefix(word).strip() if line.startswith(word) else ""


def _waits(file: Path) -> bool:
    try:
        mode = file.stat().st_mode
    except OSError:  # a broken link
        return False
    return any(kind(mode) for kind in _WAITING)
