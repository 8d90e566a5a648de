"""Lazy access to a sweep's rows: each row is read from the database when it is used."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from shapley_coop.evals.cell import Row
from shapley_coop.extensions.sweeps.suite import Suite, refuse_programs

if TYPE_CHECKING:
    from shapley_coop.extensions.sweeps.store import Store

PAGE = 50
"""The number of rows that are read at a time."""

_KINDS = """
    SELECT suite, labels, COUNT(*) AS runs FROM sweep_rows WHERE sweep = :sweep
    GROUP BY suite, labels
"""
_CELLS = """
    SELECT cell FROM sweep_rows WHERE sweep = :sweep AND suite = :suite AND labels = :labels
    ORDER BY seed, repetition, cell
"""
_ROWS = "SELECT * FROM sweep_rows WHERE sweep = :sweep"


class Kind(NamedTuple):
    """A condition of stored runs: suite, JSON of axis → label, and the number of runs."""

    suite: str
    labels: str
    runs: int


class Stored:
    """An iterable of the rows of some conditions, in order; each loop reads the database again.

    Args:
        store: the store of the sweep, which must stay open.
        kinds: the conditions.
    """

    def __init__(self, store: "Store", kinds: Sequence[Kind]) -> None:
        self._store, self.kinds = store, kinds

    @classmethod
    def of(cls, store: "Store", suites: Sequence[Suite]) -> "Stored":
        """Return all runs in the order of the suites' cells; runs with unknown labels come last."""
        ranks = {
            (suite.name, axis, label): at
            for suite in suites
            for axis, labels in suite.axes.items()
            for at, label in enumerate(labels)
        }
        names = [suite.name for suite in suites]

        def rank(kind: Kind) -> tuple[int, list[int], str]:
            told = json.loads(kind.labels).items()
            order = [ranks.get((kind.suite, axis, label), len(ranks)) for axis, label in told]
            return [*names, kind.suite].index(kind.suite), order, kind.labels

        return cls(store, sorted((Kind(**kind) for kind in store.find(_KINDS)), key=rank))

    def __len__(self) -> int:
        return sum(kind.runs for kind in self.kinds)

    def __iter__(self) -> Iterator[Row]:
        """Iterate over the rows, which are read `PAGE` at a time.

        Raises:
            ValueError: a row's game is a program, and programs were not permitted.
        """
        return (row for row, _ in self.timed())

    def timed(self) -> Iterator[tuple[Row, Row]]:
        """Return an iterator over pairs: a row, and its fields that vary between equal runs."""
        return self.at(self.cells())

    def cells(self) -> Iterator[str]:
        """Yield the ids of the runs' cells, in order."""
        for kind in self.kinds:
            yield from self._store.column(_CELLS, suite=kind.suite, labels=kind.labels)

    def at(self, cells: Iterable[str]) -> Iterator[tuple[Row, Row]]:
        """Yield the rows of some cells, each with its fields that vary between equal runs."""
        for found in self.as_kept(cells):
            yield self._row(found["content"]), json.loads(found["volatile"])

    def as_kept(self, cells: Iterable[str]) -> Iterator[dict[str, Any]]:
        """Yield the database's rows of some cells, without parsing their JSON."""
        wanted = iter(cells)
        while page := list(islice(wanted, PAGE)):
            names = {f"cell{at}": cell for at, cell in enumerate(page)}
            query = f"{_ROWS} AND cell IN ({', '.join(f':{name}' for name in names)})"
            found = {row["cell"]: row for row in self._store.find(query, **names)}
            yield from (found[cell] for cell in page)

    def where(self, labels: Mapping[str, str], suite: str = "") -> "Stored":
        """Return the runs with these labels (axis → label); with a suite's name, only its runs."""
        kinds = [
            kind
            for kind in self.kinds
            if suite in {"", kind.suite} and labels.items() <= json.loads(kind.labels).items()
        ]
        return Stored(self._store, kinds)

    def _row(self, content: str) -> Row:
        try:
            row: Row = dict(json.loads(content))
        except (ValueError, TypeError):
            where = f"{self._store.folder}: a row that begins with {content[:20]!r}"
            raise ValueError(f"{where} is not JSON: restore it or delete it") from None
        # A sweep's file from somebody else may name a program as its game, which would run here.
        refuse_programs(self._store.folder, [row.get("room", {}).get("game")])
        return row
