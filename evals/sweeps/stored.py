"""A sweep's runs without holding them: a row is read when it is used."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from shapley_coop.evals.sweeps.suite import Suite, refuse_programs

if TYPE_CHECKING:
    from shapley_coop.evals.sweeps.store import Store

Row = dict[str, Any]
"""What is kept of one run: see `evals.sweeps.rows`."""

PAGE = 50
"""Rows that are read at a time."""

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
    """Runs of one condition: its suite, its labels by axis as JSON, and how many there are."""

    suite: str
    labels: str
    runs: int


class Stored:
    """Runs of some conditions, in order. Each is read anew whenever it is looked at.

    Args:
        store: that holds them; it must stay open.
        kinds: the conditions.
    """

    def __init__(self, store: "Store", kinds: Sequence[Kind]) -> None:
        self._store, self.kinds = store, kinds

    @classmethod
    def of(cls, store: "Store", suites: Sequence[Suite]) -> "Stored":
        """All runs in the order of the suites' cells; those of labels that are gone come last."""
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
        """Return the rows, of which one page is held.

        Raises:
            ValueError: one is of a program that was not permitted.
        """
        return (row for row, _ in self.timed())

    def timed(self) -> Iterator[tuple[Row, Row]]:
        """Return each row and its volatile fields."""
        return self.at(self.cells())

    def cells(self) -> list[str]:
        """Return the cells' ids."""
        return [
            found["cell"]
            for kind in self.kinds
            for found in self._store.find(_CELLS, suite=kind.suite, labels=kind.labels)
        ]

    def at(self, cells: Sequence[str]) -> Iterator[tuple[Row, Row]]:
        """Yield the rows of some cells, each with its volatile fields."""
        for found in self.as_kept(cells):
            yield self._row(found["content"]), json.loads(found["volatile"])

    def as_kept(self, cells: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the rows of some cells as the database has them."""
        for first in range(0, len(cells), PAGE):
            page = cells[first : first + PAGE]
            names = {f"cell{at}": cell for at, cell in enumerate(page)}
            wanted = ", ".join(f":{name}" for name in names)
            query = f"{_ROWS} AND cell IN ({wanted})"
            found = {row["cell"]: row for row in self._store.find(query, **names)}
            yield from (found[cell] for cell in page)

    def where(self, wanted: Callable[[Mapping[str, str]], bool]) -> "Stored":
        """Return those whose labels are wanted."""
        return Stored(self._store, [k for k in self.kinds if wanted(json.loads(k.labels))])

    def of_suite(self, name: str) -> "Stored":
        """Return those of one suite."""
        return Stored(self._store, [kind for kind in self.kinds if kind.suite == name])

    def _row(self, content: str) -> Row:
        try:
            row: Row = dict(json.loads(content))
        except (ValueError, TypeError):
            where = f"{self._store.folder}: a row that begins with {content[:20]!r}"
            raise ValueError(f"{where} is no JSON: restore it or delete it") from None
        # A file that somebody sent may name a program that would be run.
        refuse_programs(self._store.folder, [row.get("room", {}).get("game")])
        return row
