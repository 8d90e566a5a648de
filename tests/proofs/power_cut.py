"""For `tests.warm_coop`: `coop` on SQLite, and what a power cut would leave of its home.

SQLite appends commits to a write-ahead log. One with `synchronous=FULL` waits until the disk has
the log; one with NORMAL does not, so that a cut may take everything after the last FULL commit.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any

from shapley_coop.cli import main as coop
from shapley_coop.state.storage.home import Home, home
from shapley_coop.state.storage.sqlite import SqliteDatabase

PROGRAM = "tests.proofs.power_cut:main"


def main() -> None:
    """`coop`, noting after each durable commit how much of the log is on the disk."""
    writing: Any = SqliteDatabase.writing
    noting = Lock()

    @contextmanager
    def noted(database: SqliteDatabase, *given: Any) -> Iterator[Any]:
        with writing(database, *given) as session:
            yield session
        with noting:
            _note(home())

    SqliteDatabase.writing = noted  # type: ignore[method-assign]
    coop()


def cut(here: Home, rng: Random) -> None:
    """Leave of a home, that no process uses, what a power cut might.

    The log of the books loses a part of what came after the last durable commit, that of the
    checkpoints, none of which is durable, a part of everything: mostly all of it.
    """
    _shorten(_log(here.folder / "books.sqlite"), _noted(here), rng)
    _shorten(_log(here.checkpoints), 0, rng)
    for shared in here.folder.glob("*.sqlite-shm"):
        shared.unlink()


def _shorten(log: Path, least: int, rng: Random) -> None:
    size = log.stat().st_size if log.exists() else 0
    if size <= least:
        return
    left = least if rng.random() < 0.7 else rng.randint(least, size)
    with log.open("r+b") as file:
        file.truncate(left)


def _log(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def _note(here: Home) -> None:
    log = _log(here.folder / "books.sqlite")
    part = here.folder / "synced.part"
    part.write_text(str(log.stat().st_size if log.exists() else 0))
    part.replace(here.folder / "synced")


def _noted(here: Home) -> int:
    note = here.folder / "synced"
    return int(note.read_text()) if note.exists() else 0
