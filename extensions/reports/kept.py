"""Reduced rows of runs for reports, so that a hundred thousand rows fit into memory."""

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isnan, nan
from typing import Any, cast

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.evals.prices import NO_PRICES, Prices, with_cost

Part = Callable[[Row], dict[str, Any]]


def _offer_row(row: Row) -> dict[str, Any]:
    paid = [{"would_pay": said["would_pay"]} for said in row["offers"] if said.get("would_pay")]
    return {"offers": paid, "graph": row["graph"], "room": row["room"]}


def _earnings_row(row: Row) -> dict[str, Any]:
    keys = ("turn", "rewards", "pot")
    return {"record": [{key: turn[key] for key in keys if key in turn} for turn in row["record"]]}


PARTS: dict[str, Part] = {"plane": _offer_row, "welfare_by_turn": _earnings_row}
"""Kind of figure → the function that extracts the extra parts of a row for the figure."""

_COMMON = ("status", "simulated", "agents", "seats")
_AMOUNTS = ("payoffs", "rewards", "credit")
_BY_MEASURES_ALONE = {"measures", "cost_per_agreement"}


class Kept(Mapping[str, Any]):
    """A reduced row, which takes a quarter of a dictionary's memory.

    Args:
        cell: the cell's id.
        seed: the cell's seed.
        shared: all other parts of the row; rows of one condition may share this object.
        measures: returns the measures of the row's result.
        at: the argument of `measures`.
    """

    __slots__ = ("_at", "_cell", "_measures", "_seed", "_shared")

    def __init__(
        self, cell: str, seed: int, shared: Row, measures: Callable[[int], Row], at: int
    ) -> None:
        self._cell, self._seed, self._shared = cell, seed, shared
        self._measures, self._at = measures, at

    def __getitem__(self, name: str) -> Any:
        if name == "cell":
            return self._cell
        if name == "seed":
            return self._seed
        if name == "result":
            return {**self._shared["result"], "measures": self._measures(self._at)}
        return self._shared[name]

    def __iter__(self) -> Iterator[str]:
        return iter(("cell", "seed", *self._shared))

    def __len__(self) -> int:
        return 2 + len(self._shared)


class Keeper:
    """A callable that reduces rows to the parts that some measures and figures need.

    Args:
        columns: the measures, which are computed when a row is reduced.
        kinds: the kinds of figures that will be drawn from the reduced rows.
        prices: the prices for the measure `cost`.
    """

    def __init__(
        self, columns: Iterable[str], kinds: Iterable[str] = (), prices: Prices = NO_PRICES
    ) -> None:
        self._columns, self._prices = tuple(dict.fromkeys(columns)), prices
        self._kinds = set(kinds)
        self._shared: dict[str, Row] = {}
        self._numbers = array("d")
        self._measured = self._measures  # one bound method for all rows

    def __call__(self, row: Row) -> Row:
        """Return a reduced row, which `score`, tables, figures and comparisons can use."""
        outcome, at = row["result"], len(self._numbers)
        priced = with_cost(row, self._prices)
        for column in self._columns:
            value = score(priced, column)
            self._numbers.append(nan if value is None else value)
        kept = {key: row[key] for key in ("suite", "labels", "repetition")}
        kept["result"] = {key: outcome[key] for key in _COMMON}
        kept = self._shared.setdefault(json.dumps(kept), kept)
        if self._kinds - _BY_MEASURES_ALONE:
            amounts = {key: outcome[key] for key in _AMOUNTS}
            kept = {**kept, "result": {**kept["result"], **amounts}}
        for kind, part in PARTS.items():
            if kind in self._kinds:
                kept = {**kept, **part(row)}
        # This mapping has a `Row`'s keys, but is no `Row`.
        return cast(Row, Kept(row["cell"], row["seed"], kept, self._measured, at))

    def all(self, rows: Iterable[Row]) -> list[Row]:
        """Return these rows reduced, with only one whole row in memory at a time."""
        return [self(row) for row in rows]

    def _measures(self, at: int) -> dict[str, float | None]:
        """Return the measures of the row whose first number is at a position."""
        values = self._numbers[at : at + len(self._columns)]
        return {
            column: None if isnan(value) else value
            for column, value in zip(self._columns, values, strict=True)
        }


def known_of(rows: Sequence[Row], columns: Iterable[str]) -> list[str]:
    """Return the measures that some row has; `cost` only if some row has a positive cost."""
    found = []
    for column in columns:
        values = [value for row in rows if (value := score(row, column)) is not None]
        if any(values) if column == "cost" else values:
            found.append(column)
    return found
