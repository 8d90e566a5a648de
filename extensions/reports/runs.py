"""The report's table of runs: each run's ending, measures, explanation and name."""

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import Any

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.extensions.reports.layout import UNKNOWN, show_value
from shapley_coop.extensions.reports.linking import PageOf, no_page
from shapley_coop.extensions.sweeps.stored import Stored

MOST = 1_000
"""The most runs in the table; failed runs have priority, and `coop export` writes all runs."""

FAILED = "failed"
_WRONG = {"error": 0, "unreadable": 1, "budget": 2, "no_play": 3}


def runs_table(
    rows: Sequence[Row],
    stored: Stored,
    failures: Sequence[Row],
    columns: Sequence[str],
    page_of: PageOf,
    most_pages: int,
) -> dict[str, Any]:
    """Return the table of a suite's runs.

    If not all runs can be listed or have a page, some runs of each condition are listed and have a
    page. The report's numbers link to these runs.

    Args:
        rows: the runs, as `extensions.reports.kept` keeps them.
        stored: the same runs in the database, in the same order.
        failures: the last failed attempt of every cell without a row.
        columns: the measures to show.
        page_of: the address of a run's page.
        most_pages: the most runs that get a page.

    Returns:
        {"columns", "lines": [{"labels", "seed", "cell", "ended", "values": [(text, sort key)],
        "why", "run", "page"}], "left_out": the number of unlisted runs, "endings": the listed
        runs' endings}.
    """
    lines = [_failed_row(failure, columns) for failure in failures[:MOST]]
    chosen, paged = _chosen(rows, MOST - len(lines), most_pages)
    kept = stored.at([rows[at]["cell"] for at in chosen])
    for at, (whole, volatile) in zip(chosen, kept, strict=True):
        own = page_of if at in paged else no_page
        lines.append(_ended_row(rows[at], columns, whole, own, volatile.get("run", "")))
    return {
        "columns": list(columns),
        "lines": lines,
        "left_out": len(rows) + len(failures) - len(lines),
        "endings": list(dict.fromkeys(line["ended"] for line in lines)),
    }


def _chosen(rows: Sequence[Row], most: int, most_pages: int) -> tuple[list[int], set[int]]:
    """Return the positions of the runs to list (failed ones first), and of those to give a page."""
    turns = _turns(rows)
    order = sorted(
        range(len(rows)), key=lambda at: (_WRONG.get(rows[at]["result"]["status"], 9), turns[at])
    )
    chosen = sorted(order[:most])
    return chosen, {*sorted(chosen, key=lambda at: turns[at])[:most_pages]}


def _turns(rows: Sequence[Row]) -> list[int]:
    """Return for each run how many runs of its condition come before it."""
    before = Counter[tuple[str, ...]]()
    found = []
    for row in rows:
        condition = tuple(row["labels"].values())
        found.append(before[condition])
        before[condition] += 1
    return found


def _ended_row(
    row: Row, columns: Sequence[str], whole: Row, page_of: PageOf, run: str
) -> dict[str, Any]:
    told = whole["result"].get("happened") or {}
    return {
        **_of(row),
        "ended": row["result"]["status"],
        "values": [_value(column, score(row, column)) for column in columns],
        "why": " ".join(told.get("words", [])),
        "run": run,
        "page": page_of(run),
    }


def _failed_row(failure: Row, columns: Sequence[str]) -> dict[str, Any]:
    values = [(UNKNOWN, "")] * len(columns)
    return {
        **_of(failure),
        "ended": FAILED,
        "values": values,
        "why": failure["error"],
        "run": "",
        "page": "",
    }


def _of(row: Row) -> dict[str, Any]:
    return {"labels": row["labels"], "seed": row["seed"], "cell": row["cell"]}


def _value(column: str, value: float | None) -> tuple[str, str]:
    if value is None or not isfinite(value):
        return UNKNOWN, ""
    return show_value(column, value), f"{value:.9g}"
