"""Reduced rows of runs for reports, so that a hundred thousand rows fit into memory."""

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
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


class Record(Mapping[str, Any]):
    """A mapping with a third of a dictionary's memory: instances with equal keys share an index."""

    __slots__ = ("_at", "_values")

    def __init__(self, names: tuple[str, ...], values: Sequence[Any]) -> None:
        self._at, self._values = _number_names(names), values

    def __getitem__(self, name: str) -> Any:
        return self._values[self._at[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)


class Numbers(Record):
    """A `Record` (mapping) whose values are floats or None."""

    __slots__ = ()

    def __init__(self, names: tuple[str, ...], values: Iterable[float | None]) -> None:
        super().__init__(names, array("d", (nan if x is None else x for x in values)))

    def __getitem__(self, name: str) -> float | None:
        value: float = super().__getitem__(name)
        return None if isnan(value) else value


class Outcome(Mapping[str, Any]):
    """A row's result: a part that many rows share, and the measures of this row."""

    __slots__ = ("_common", "_measures")

    def __init__(self, common: Mapping[str, Any], measures: Numbers) -> None:
        self._common, self._measures = common, measures

    def __getitem__(self, name: str) -> Any:
        return self._measures if name == "measures" else self._common[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*self._common, "measures"))

    def __len__(self) -> int:
        return len(self._common) + 1


@lru_cache(maxsize=64)  # a hundred thousand rows with the same names share one dictionary
def _number_names(names: tuple[str, ...]) -> dict[str, int]:
    return {name: at for at, name in enumerate(names)}


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
        self._shared: dict[str, Any] = {}

    def __call__(self, row: Row) -> Row:
        """Return a reduced row, which `score`, tables, figures and comparisons can use."""
        outcome = row["result"]
        priced = with_cost(row, self._prices)
        measured = Numbers(self._columns, (score(priced, column) for column in self._columns))
        common = self._once({key: outcome[key] for key in _COMMON})
        if self._kinds - _BY_MEASURES_ALONE:
            common = {**common, **{key: outcome[key] for key in _AMOUNTS}}
        kept: dict[str, Any] = {
            "cell": row["cell"],
            "suite": self._once(row["suite"]),
            "labels": self._once(row["labels"]),
            "seed": row["seed"],
            "repetition": row["repetition"],
            "result": Outcome(common, measured),
        }
        for kind, part in PARTS.items():
            if kind in self._kinds:
                kept |= part(row)
        return cast(Row, _record(kept))  # a mapping that only has the keys of a `Row`

    def all(self, rows: Iterable[Row]) -> list[Row]:
        """Return these rows reduced, with only one whole row in memory at a time."""
        return [self(row) for row in rows]

    def _once(self, content: Any) -> Any:
        """Return the same shared object whenever the content is equal."""
        return self._shared.setdefault(json.dumps(content), content)


def _record(content: Mapping[str, Any]) -> Record:
    return Record(tuple(content), tuple(content.values()))


def known_of(rows: Sequence[Row], columns: Iterable[str]) -> list[str]:
    """Return the measures that some row has; `cost` only if some row has a positive cost."""
    found = []
    for column in columns:
        values = [value for row in rows if (value := score(row, column)) is not None]
        if any(values) if column == "cost" else values:
            found.append(column)
    return found
