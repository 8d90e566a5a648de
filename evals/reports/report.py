"""A sweep as one HTML page: tables in the papers' layouts, figures, versions and commits.

The page is self-contained: its security policy allows neither scripts nor network. Every number is
computed from the rows that `coop export` writes, and names its n.
"""

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shapley_coop.evals.measures.evaluators import find
from shapley_coop.evals.measures.stats import LEVEL, RESAMPLES, Comparison
from shapley_coop.evals.measures.summary import DEFAULT_MEASURES, compare_rows, conditions
from shapley_coop.evals.reports.figures import Figure, draw
from shapley_coop.evals.reports.layout import (
    TableShown,
    between,
    difference,
    number,
    prose,
    shown,
    table,
    words,
)
from shapley_coop.evals.sweeps.provenance import provenance
from shapley_coop.evals.sweeps.store import Row, cells_of, manifest, read, read_rows, read_volatile
from shapley_coop.evals.sweeps.suite import Suite, TableSpec

_HERE = Path(__file__).parent
_pages = Environment(
    loader=FileSystemLoader(_HERE),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
PHASES = ("negotiation", "action", "settlement")


@dataclass(frozen=True)
class SuiteShown:
    """One suite's section."""

    suite: Suite
    runs: int
    cells: int
    seeds: list[int]
    models: list[str]
    tables: list[TableShown]
    compared: list[tuple[str, str, list[Comparison]]]
    figures: list[Figure]
    times: list[tuple[str, list[str], int]]


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
    suites = [Suite.model_validate(suite) for suite in known["suites"].values()]
    volatile = read_volatile(folder)
    wanted = [cell.suite for cell in cells_of(folder)]
    sections = []
    for suite in suites:
        own = [row for row in rows if row["suite"] == suite.name]
        if own:
            sections.append(_suite(suite, own, volatile, wanted.count(suite.name)))
        done()
    style = (_HERE / "report.css").read_text(encoding="utf-8")
    ended = {row["cell"] for row in rows}
    return _pages.get_template("report.html").render(
        title=suites[0].name if len(suites) == 1 else f"{len(suites)} experiments",
        style=style,
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        suites=sections,
        waiting=[suite.name for suite in suites if suite.name not in {r["suite"] for r in rows}],
        skipped=known["skipped"],
        failures=[f for f in read(folder, "failures") if f["cell"] not in ended],
        simulated=[row for row in rows if row["result"]["simulated"]],
        runs=len(rows),
        cells=len(wanted),
        made=_made(volatile.values()),
        reported=provenance(),
        level=f"{LEVEL:.0%}",
        resamples=RESAMPLES,
    )


def figures(folder: Path) -> list[tuple[str, Figure]]:
    """Every figure of a sweep's report, each under a file name of its own."""
    rows = read_rows(folder)
    found = []
    for content in manifest(folder)["suites"].values():
        suite = Suite.model_validate(content)
        own = [row for row in rows if row["suite"] == suite.name]
        for rank, one in enumerate(_figures(suite, own), start=1):
            found.append((f"{suite.name}_{rank}", one))
    return found


def _suite(suite: Suite, rows: list[Row], volatile: dict[str, Row], cells: int) -> SuiteShown:
    specs = suite.tables or [TableSpec(title="Measures", columns=list(DEFAULT_MEASURES))]
    axes = list(suite.axes)
    return SuiteShown(
        suite=suite,
        runs=len(rows),
        cells=cells,
        seeds=sorted({row["seed"] for row in rows}),
        models=sorted({model for row in rows for model in row["result"]["seats"].values()}),
        tables=[table(spec, rows, axes) for spec in specs],
        compared=_compared(suite, specs, rows),
        figures=_figures(suite, rows),
        times=_times(rows, volatile, axes),
    )


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


def _made(volatile: Any) -> dict[str, list[str]]:
    """The commits and versions that made the runs: the distinct values of each."""
    names = ("commit", "version", "python", "langgraph", "langchain-core", "langchain-openai")
    return {name: sorted({line[name] for line in volatile if name in line}) for name in names}


_pages.filters |= {"number": number, "prose": prose, "words": words}
_pages.globals |= {"between": between, "difference": difference, "shown": shown}
