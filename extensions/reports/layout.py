"""The layout of numbers and tables, as in the papers, each number with its n."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import Any

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import find
from shapley_coop.extensions.reports.linking import Links
from shapley_coop.extensions.reports.stats import Comparison, Estimate
from shapley_coop.extensions.reports.summary import conditions, estimate
from shapley_coop.extensions.sweeps.suite import TableSpec

UNKNOWN = "—"


@dataclass(frozen=True)
class CellShown:
    """One cell of a table: the estimate, and the paper's printed value."""

    column: str
    estimate: Estimate
    printed: str

    @property
    def value(self) -> str:
        """The point estimate as text."""
        return show_value(self.column, self.estimate.value) if self.estimate.n else UNKNOWN

    @property
    def detail(self) -> str:
        """The estimate's interval and its n as text."""
        e = self.estimate
        if e.n > 1 and e.method == "all equal":
            return f"all equal, n={e.n}"
        return f"{between(self.column, e)} n={e.n}".strip()


def table(
    spec: TableSpec, rows: Sequence[Row], axes: Sequence[str], links: Links
) -> dict[str, Any]:
    """Lay out one table of a suite, for the page's template.

    Args:
        spec: the table's specification in the suite.
        rows: the suite's runs.
        axes: the suite's axes.
        links: the links from the table's numbers to their runs.

    Returns:
        {"title", "source", "beside": whether the source's values are shown, "axes", "columns":
        [(measure, description)], "rows": [{"heads": (label, rows spanned) of labels that start
        in this row, "runs": the number of runs, "cells", "linked": the link to the runs}]}.
    """
    shown_axes = spec.rows or [axis for axis in axes if axis not in spec.where]
    groups = conditions(select(rows, spec.where), shown_axes)
    heads, lines = _heads([group.key for group in groups]), []
    for group, head in zip(groups, heads, strict=True):
        labels = {**spec.where, **group.labels}
        cells = [
            CellShown(column, estimate(group.rows, column), printed_value(spec, labels, column))
            for column in spec.columns
        ]
        line = {"heads": head, "runs": len(group.rows), "cells": cells}
        lines.append({**line, "linked": links.of(group.rows)})
    columns = [(column, find(column)[0].about) for column in spec.columns]
    shown: dict[str, Any] = {"title": spec.title, "source": spec.source, "axes": shown_axes}
    shown["beside"] = bool(spec.printed)
    return {**shown, "columns": columns, "rows": lines}


def select(rows: Sequence[Row], where: Mapping[str, str]) -> list[Row]:
    """Return the runs with all labels in `where`, axis → label."""
    return [row for row in rows if where.items() <= row["labels"].items()]


def _heads(labels: Sequence[Sequence[str]]) -> list[list[tuple[str, int]]]:
    """Return each row's (label, rows spanned) pairs, without labels that a row above spans."""
    found = []
    for at, line in enumerate(labels):
        head = []
        for end, label in enumerate(line[:-1], start=1):
            if not at or labels[at - 1][:end] != line[:end]:
                head.append((label, _span(labels, at, end)))
        found.append([*head, *((label, 1) for label in line[-1:])])
    return found


def _span(labels: Sequence[Sequence[str]], at: int, end: int) -> int:
    """Return how many consecutive rows from `at` on have the same labels in the first columns."""
    after = at + 1
    while after < len(labels) and labels[after][:end] == labels[at][:end]:
        after += 1
    return after - at


def printed_value(spec: TableSpec, labels: Mapping[str, str], column: str) -> str:
    """Return the source's printed value for a row and column of a table, or "" if none."""
    fitting = [p.values for p in spec.printed if p.row.items() <= labels.items()]
    return next((values[column] for values in fitting if column in values), "")


def digits(column: str) -> int:
    """Return a measure's decimals: none for percentages, 1 for counts, 2 for other numbers."""
    if find(column)[0].kind == "rate" or column == "tokens":
        return 0
    return 1 if column in {"calls", "messages", "turns"} else 2


def show_value(column: str, value: float, unit: bool = True) -> str:
    """Return a measure's value as text; rates become percentages.

    Args:
        column: the measure.
        value: the value; rates are in 0..1.
        unit: whether to append the percent sign.
    """
    if find(column)[0].kind != "rate":
        return number(value, digits(column))
    return number(100 * value, digits(column)) + (" %" if unit and isfinite(value) else "")


def between(column: str, e: Estimate) -> str:
    """Return an estimate's interval as text, or "" if it is of fewer than two runs."""
    ends = ", ".join(show_value(column, end, unit=False) for end in e.ends)
    return f"[{ends}]" if ends else ""


def difference(c: Comparison) -> str:
    """Return the second mean minus the first as text, for rates in percentage points."""
    value = show_value(c.measure, c.difference.value, unit=False)
    plus = "+" if value.strip("0.") and c.difference.value > 0 else ""
    points = " points" if find(c.measure)[0].kind == "rate" else ""
    return f"{plus}{value}{points}"


def number(value: float, places: int = 2) -> str:
    """Return a number as text, without negative zeros, or a dash if it is not finite."""
    return f"{round(value, places) + 0.0:.{places}f}" if isfinite(value) else UNKNOWN


def markdown(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown, from its heads and lines of cells."""
    return "\n".join(f"| {' | '.join(line)} |" for line in [heads, ["---"] * len(heads), *lines])


def words(column: str) -> str:
    """Return a measure's key as words, with spaces for underscores."""
    return column.replace("_", " ").replace(":", ": ")


def prose(text: str) -> str:
    """Return a suite's text as escaped HTML; names in backquotes become code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if n % 2 else part for n, part in enumerate(parts))
