"""An index beside a file of lines, so that a big sweep goes on without reading its rows again.

    rows.jsonl            the truth
    .rows.jsonl.index     SQLite: where each line is, its cell, and what it spent, by model

The index is in step while the file has the size and time that it had when the index was written.
A file that has grown behind the last line that is indexed was appended to, by a writer that was
killed: only what was appended is parsed. Otherwise the part that is indexed is compared by its
CRC-32, and the whole file parsed if it is another. Whoever reads a line by the index compares the
line's own CRC-32 (`evals.sweeps.stored`). An index can be deleted at any time.
"""

import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from sys import intern
from typing import Any, Protocol, TypeVar

from shapley_coop.evals.sweeps.lines import Line, crc_of, files_of, line_of, whole_lines
from shapley_coop.evals.sweeps.suite import refuse_programs

VERSION = 3
KEPT_BACK = 256
"""Appended lines after which a writer writes its index; a killed writer leaves so many to parse."""

_TABLES = """
CREATE TABLE lines (offset INTEGER PRIMARY KEY, length INTEGER, crc INTEGER, cell TEXT,
                    suite TEXT, labels TEXT, seed INTEGER, repetition INTEGER, game TEXT,
                    calls INTEGER, spent TEXT);
CREATE TABLE file (size INTEGER, crc INTEGER, mtime INTEGER);
INSERT INTO file VALUES (0, 0, 0);
"""


class Index:
    """The index of one file of lines. Close it, or use it in a `with` block.

    Where no index can be written, it is made anew in memory.

    Args:
        path: the file's; it must exist.

    Raises:
        ValueError: a line is no JSON object.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new: list[Line] = []
        self._database = _opened(index_of(path))
        self._size, self._crc = 0, 0
        try:
            self._get_in_step()
        except sqlite3.Error:
            # It is on a read-only disk, another process is writing it, or it is damaged.
            self._database.close()
            self._database = _made(sqlite3.connect(":memory:", check_same_thread=False))
            self._get_in_step()

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def __iter__(self) -> Iterator[Line]:
        """The lines in the file's order."""
        for found in self._database.execute("SELECT * FROM lines ORDER BY offset"):
            line = Line(*found)
            suite, labels, game = map(intern, (line.suite, line.labels, line.game))
            yield line._replace(suite=suite, labels=labels, game=game)

    def cells(self) -> set[str]:
        """Whose lines there are."""
        return {cell for (cell,) in self._database.execute("SELECT cell FROM lines")}

    def add(self, row: Mapping[str, Any], data: bytes) -> None:
        """Note a line that was appended to the file."""
        self._new.append(line_of(row, data, self._size))
        self._size += len(data)
        self._crc = zlib.crc32(data, self._crc)
        if len(self._new) >= KEPT_BACK:
            self.write()

    def write(self) -> None:
        """Write what was added; where another process holds the index, the next one will."""
        try:
            self._keep(self._new, self._path.stat())
        except sqlite3.Error:
            self._database.rollback()
        else:
            self._new.clear()

    def _get_in_step(self) -> None:
        now = self._path.stat()
        self._size, self._crc, time = self._state()
        if (self._size, time) == (now.st_size, now.st_mtime_ns):
            return
        self._database.execute("BEGIN IMMEDIATE")
        try:
            self._size, self._crc, _ = self._state()
            grown = now.st_size > self._size and self._ends_as_indexed()
            if not grown and crc_of(self._path, self._size) != self._crc:
                self._database.execute("DELETE FROM lines")
                self._size = self._crc = 0
            self._keep(self._rest(), now)
        except BaseException:
            self._database.rollback()
            raise

    def _ends_as_indexed(self) -> bool:
        """Whether the last line that is indexed is in its place."""
        query = "SELECT offset, length, crc FROM lines ORDER BY offset DESC LIMIT 1"
        if (last := self._database.execute(query).fetchone()) is None:
            return False
        offset, length, crc = last
        with self._path.open("rb") as file:
            file.seek(offset)
            same = zlib.crc32(file.read(length)) == crc
        return bool(same and offset + length == self._size)

    def _rest(self) -> Iterator[Line]:
        """The lines behind what is indexed."""
        (count,) = self._database.execute("SELECT COUNT(*) FROM lines").fetchone()
        for data, row in whole_lines(self._path, self._size, count):
            yield line_of(row, data, self._size)
            self._size += len(data)
            self._crc = zlib.crc32(data, self._crc)

    def _keep(self, lines: Iterable[Line], now: os.stat_result) -> None:
        insert = "INSERT OR REPLACE INTO lines VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        self._database.executemany(insert, lines)
        state = (self._size, self._crc, now.st_mtime_ns)
        self._database.execute("UPDATE file SET size = ?, crc = ?, mtime = ?", state)
        self._database.commit()

    def _state(self) -> tuple[int, int, int]:
        size, crc, time = self._database.execute("SELECT * FROM file").fetchone()
        return size, crc, time


def index_of(path: Path) -> Path:
    """Where the index of a file of lines is."""
    return path.with_name(f".{path.name}.index")


def indexed(folder: Path, kind: str = "rows") -> Iterator[tuple[Path, Line]]:
    """What the indexes know of every line of a kind, over all shards, and its file.

    Raises:
        ValueError: a line is no JSON object.
    """
    for path in files_of(folder, kind):
        with Index(path) as index:
            for line in index:
                yield path, line


class _Bytes(Protocol):
    """What tells two lines apart."""

    @property
    def length(self) -> int: ...
    @property
    def crc(self) -> int: ...


Kept = TypeVar("Kept", bound=_Bytes)


def ended_in(folder: Path, keep: Callable[[Path, Line], Kept]) -> dict[str, Kept]:
    """Cell → what is kept of its row's line.

    Raises:
        ValueError: a line is no JSON object, a cell has two different rows, or one is of a program
            that was not permitted.
    """
    found: dict[str, Kept] = {}
    games = set()
    for path, line in indexed(folder):
        games.add(line.game)
        before = found.setdefault(line.cell, keep(path, line))
        if (before.length, before.crc) != (line.length, line.crc):
            raise ValueError(f"{folder} holds two different runs of the cell {line.cell}")
    refuse_programs(folder, games)
    return found


def cells_in(folder: Path, kind: str = "rows") -> set[str]:
    """The cells that a folder has lines of a kind of, over all shards.

    Raises:
        ValueError: a line is no JSON object.
    """
    found: set[str] = set()
    for path in files_of(folder, kind):
        with Index(path) as index:
            found |= index.cells()
    return found


def _opened(path: Path) -> sqlite3.Connection:
    """The index of a file, made if it is not there, is damaged, or is of another version."""
    for _ in range(2):
        database = None
        try:
            database = sqlite3.connect(path, check_same_thread=False)
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version == VERSION:
                return database
            if version == 0:
                return _made(database)
        except sqlite3.OperationalError:
            break
        except sqlite3.DatabaseError:
            pass  # damaged
        if database is not None:
            database.close()
        path.unlink(missing_ok=True)
    return _made(sqlite3.connect(":memory:", check_same_thread=False))


def _made(database: sqlite3.Connection) -> sqlite3.Connection:
    database.executescript(f"BEGIN EXCLUSIVE; {_TABLES} PRAGMA user_version = {VERSION}; COMMIT")
    return database
