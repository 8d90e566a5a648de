"""A folder's runs without holding them: places are known, and a row is read when it is used."""

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, overload

from shapley_coop.evals.sweeps.index import ended_in, index_of, indexed
from shapley_coop.evals.sweeps.lines import Line, parse
from shapley_coop.evals.sweeps.suite import Suite, refuse_programs

Row = dict[str, Any]
"""One line of `rows.jsonl`: see `evals.sweeps.rows`."""


class RowLocation(NamedTuple):
    """Where a row is, and of which cell.

    Attributes:
        path: the file.
        offset: of its first byte.
        length: in bytes.
        crc: CRC-32 of its bytes.
        cell: the cell's id.
        suite: its suite.
        labels: axis → label, as JSON.
        seed: the cell's.
        repetition: the cell's.
    """

    path: Path
    offset: int
    length: int
    crc: int
    cell: str
    suite: str
    labels: str
    seed: int
    repetition: int


class Stored(Sequence[Row]):
    """Rows that are on the disk. Each is read anew whenever it is looked at.

    Args:
        places: where they are.
    """

    def __init__(self, places: Sequence[RowLocation]) -> None:
        self.places = places

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Row]:
        """The rows in order, of which one is held.

        Raises:
            ValueError: a line was changed since it was indexed.
        """
        files: dict[Path, BinaryIO] = {}
        with ExitStack() as opened:
            for place in self.places:
                if place.path not in files:
                    files[place.path] = opened.enter_context(place.path.open("rb"))
                yield _read(files[place.path], place)

    @overload
    def __getitem__(self, at: int) -> Row: ...

    @overload
    def __getitem__(self, at: slice) -> "Stored": ...

    def __getitem__(self, at: int | slice) -> "Row | Stored":
        if isinstance(at, slice):
            return Stored(self.places[at])
        place = self.places[at]
        with place.path.open("rb") as file:
            return _read(file, place)

    def where(self, wanted: Callable[[RowLocation], bool]) -> "Stored":
        """Those whose place is wanted."""
        return Stored([place for place in self.places if wanted(place)])

    def of_suite(self, name: str) -> "Stored":
        """Those of one suite."""
        return self.where(lambda place: place.suite == name)


def in_order(folder: Path, suites: Sequence[Suite]) -> Stored:
    """A folder's runs in the order of its suites' cells, each once.

    Raises:
        ValueError: it holds two different rows of one cell.
    """
    ended = ended_in(folder, _place)
    ranks = {s.name: {a: list(v) for a, v in s.axes.items()} for s in suites}
    names = list(ranks)
    at: dict[tuple[str, str], tuple[int, ...]] = {}

    def rank(place: RowLocation) -> tuple[Any, ...]:
        key = place.suite, place.labels
        if key not in at:
            told = json.loads(place.labels)
            axes = ranks[place.suite].items()
            at[key] = (names.index(place.suite), *(v.index(told[axis]) for axis, v in axes))
        return at[key], place.seed, place.repetition

    return Stored(sorted(ended.values(), key=rank))


def by_cell(folder: Path, kind: str) -> dict[str, RowLocation]:
    """Cell → where its last line of a kind is."""
    return {line.cell: _place(path, line) for path, line in indexed(folder, kind)}


def _place(path: Path, line: Line) -> RowLocation:
    return RowLocation(path, *line[:8])


def _read(file: BinaryIO, place: RowLocation) -> Row:
    file.seek(place.offset)
    data = file.read(place.length)
    if zlib.crc32(data) != place.crc:
        raise ValueError(
            f"{place.path}: the line at byte {place.offset} was changed since it was indexed: "
            f"delete {index_of(place.path)} and try again"
        )
    row = parse(data, f"{place.path}: byte {place.offset}")
    # An index that came with the folder may say that another game was played.
    refuse_programs(place.path, [row.get("room", {}).get("game")])
    return {**row, "cell": place.cell}  # one text for place and row
