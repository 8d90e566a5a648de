"""A sweep as one HTML page: tables in the papers' layouts, figures, versions and commits.

The page is self-contained: its security policy allows neither scripts nor network. Every number is
computed from the rows that `coop export` writes, and names its n.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from shapley_coop.evals.measures.evaluators import find
from shapley_coop.evals.measures.stats import LEVEL, RESAMPLES, Comparison
from shapley_coop.evals.measures.summary import DEFAULT_MEASURES, compare_rows, conditions
from shapley_coop.evals.reports import pages
from shapley_coop.evals.reports.figures import Figure, draw
from shapley_coop.evals.reports.layout import (
    between,
    difference,
    number,
    prose,
    shown,
    table,
    words,
)
from shapley_coop.evals.reports.rankings import rankings
from shapley_coop.evals.sweeps.provenance import provenance
from shapley_coop.evals.sweeps.store import (
    Row,
    cells_of,
    manifest,
    read,
    read_rows,
    read_volatile,
    suites_of,
)
from shapley_coop.evals.sweeps.suite import Suite, TableSpec

_TEMPLATE = Path(__file__).parent / "report.html"
PHASES = ("negotiation", "action", "settlement")
WITHOUT_PLAY = {
    "no_play": "nobody chose to act",
    "unreadable": "no answer could be used",
    "error": "the run broke down",
}
"""Status of a run without a play → why, in words."""

MADE_BY = ("commit", "version", "python", "langgraph", "langchain-core", "langchain-openai")
"""Of what made the runs, the page shows the distinct values."""


def report(folder: Path, done: Callable[[], Any] = lambda: None) -> str:
    """The page of a sweep's folder.

    Args:
        folder: of the sweep.
        done: called after each of its suites.

    Raises:
        ValueError: it holds no sweep, or no run yet.
    """
    rows, known = read_rows(folder), manifest(folder)
    if not rows:
        raise ValueError(f"{folder} holds no run yet: coop sweep … -o {folder}")
    volatile, wanted = read_volatile(folder), [cell.suite for cell in cells_of(folder)]
    sections, waiting = [], []
    for suite in (suites := suites_of(folder)):
        if own := [row for row in rows if row["suite"] == suite.name]:
            sections.append(_suite(suite, own, volatile, wanted.count(suite.name)))
        else:
            waiting.append(suite.name)
        done()
    ended = {row["cell"] for row in rows}
    return pages.page(
        _TEMPLATE,
        {"number": number, "prose": prose, "words": words},
        suites[0].name if len(suites) == 1 else f"{len(suites)} experiments",
        suites=sections,
        waiting=waiting,
        skipped=known["skipped"],
        failures=[f for f in read(folder, "failures") if f["cell"] not in ended],
        simulated=[row for row in rows if row["result"]["simulated"]],
        runs=len(rows),
        happened=_happened(rows),
        cells=len(wanted),
        made={n: sorted({v[n] for v in volatile.values() if n in v}) for n in MADE_BY},
        reported=provenance(),
        level=f"{LEVEL:.0%}",
        resamples=RESAMPLES,
        between=between,
        difference=difference,
        shown=shown,
    )


def _happened(rows: Sequence[Row]) -> str:
    """In how many runs there was no play, and why; empty where there was one in each."""
    ended = Counter(row["result"]["status"] for row in rows)
    idle = {words: ended[status] for status, words in WITHOUT_PLAY.items() if ended[status]}
    if not idle:
        return ""
    told = "; ".join(f"{words} in {count}" for words, count in idle.items())
    return f"{sum(idle.values())} of {len(rows)} runs ended without a play: {told}."


def figures(folder: Path) -> list[tuple[str, Figure]]:
    """Every figure of a sweep's report, each under a file name of its own."""
    rows = read_rows(folder)
    found = []
    for suite in suites_of(folder):
        own = [row for row in rows if row["suite"] == suite.name]
        found += [(f"{suite.name}_{n}", f) for n, f in enumerate(_figures(suite, own), start=1)]
    return found


def _suite(suite: Suite, rows: list[Row], volatile: dict[str, Row], cells: int) -> dict[str, Any]:
    """What the page shows of a suite."""
    specs = suite.tables or [TableSpec(title="Measures", columns=list(DEFAULT_MEASURES))]
    axes = list(suite.axes)
    return {
        "suite": suite,
        "runs": len(rows),
        "cells": cells,
        "seeds": sorted({row["seed"] for row in rows}),
        "models": sorted({model for row in rows for model in row["result"]["seats"].values()}),
        "tables": [table(spec, rows, axes) for spec in specs],
        "compared": _compared(suite, specs, rows),
        "figures": _figures(suite, rows),
        "rankings": rankings(rows),
        "times": _times(rows, volatile, axes),
    }


def _figures(suite: Suite, rows: list[Row]) -> list[Figure]:
    drawn = [draw(spec, rows, list(suite.axes)) for spec in suite.figures if rows]
    return [figure for figure in drawn if figure.svg]


def _compared(
    suite: Suite, specs: Sequence[TableSpec], rows: Sequence[Row]
) -> list[tuple[str, str, list[Comparison]]]:
    """The last label of an axis compared with each of the others, on the same seeds."""
    axis = suite.compare or next(iter(suite.axes), "")
    groups = conditions(rows, [axis]) if axis else []
    columns = dict.fromkeys(c for spec in specs for c in spec.columns if find(c)[0].better)
    if len(groups) < 2 or not columns:
        return []
    last = groups[-1]
    return [
        (group.name, last.name, compare_rows(group.rows, last.rows, list(columns), [axis]))
        for group in groups[:-1]
    ]


def _times(
    rows: Sequence[Row], volatile: dict[str, Row], axes: list[str]
) -> list[tuple[str, list[str], int]]:
    """Mean wall seconds of each phase per turn, over the runs that were timed."""
    lines = []
    for group in conditions(rows, axes):
        timed = [(row, volatile[row["cell"]]) for row in group.rows if row["cell"] in volatile]
        turns = sum(max(1, len(row["record"])) for row, _ in timed)
        spent = [sum(a.get("phases", {}).get(p, 0.0) for _, a in timed) for p in PHASES]
        shown = [f"{s / turns:.3f}" if turns else "—" for s in spent]
        lines.append((group.name, shown, len(timed)))
    return lines
