"""The report of a sweep as one HTML page: tables as in the papers, figures, versions and commits.

The page needs no other file; its links lead to run pages beside it. Its security policy forbids the
network and all scripts except one, which sorts and filters the tables of runs. Every number has its
n and is computed from the rows that `coop export` writes. Only the shown parts of a row are in
memory (`extensions.reports.kept`).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

from shapley_coop import extension
from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import find
from shapley_coop.evals.prices import NO_PRICES, Prices
from shapley_coop.evals.provenance import provenance
from shapley_coop.extensions.reports import pages
from shapley_coop.extensions.reports.figures import Figure, draw
from shapley_coop.extensions.reports.finding import finding
from shapley_coop.extensions.reports.kept import Keeper, known_of
from shapley_coop.extensions.reports.layout import (
    between,
    difference,
    number,
    prose,
    show_value,
    table,
    words,
)
from shapley_coop.extensions.reports.linking import MOST_PAGES, Linked, Links, PageOf, no_page
from shapley_coop.extensions.reports.money import Spent, spent
from shapley_coop.extensions.reports.runs import runs_table
from shapley_coop.extensions.reports.stats import LEVEL, MANY, RESAMPLES, Comparison
from shapley_coop.extensions.reports.summary import (
    DEFAULT_MEASURES,
    Condition,
    Labels,
    compare_rows,
    conditions,
)
from shapley_coop.extensions.sweeps.store import Store
from shapley_coop.extensions.sweeps.stored import Stored
from shapley_coop.extensions.sweeps.suite import Suite, TableSpec

_TEMPLATE = Path(__file__).parent / "report.html"
PHASES = ("negotiation", "action", "settlement")
WITHOUT_PLAY = {
    "no_play": "nobody chose to act",
    "unreadable": "no answer could be used",
    "error": "the run broke down",
}
"""Status of a run in which no turn was played → the reason, in words."""

MADE_BY = ("commit", "version", "python", "langgraph", "langchain-core", "langchain-openai")
"""The parts of the runs' provenance whose distinct values the page shows."""


def report(
    folder: Path,
    prices: Prices = NO_PRICES,
    done: Callable[[], Any] = lambda: None,
    page_of: PageOf = no_page,
) -> str:
    """Return the report of a sweep as HTML.

    Args:
        folder: the sweep's folder.
        prices: the prices for the runs' cost.
        done: called after each suite.
        page_of: the address of a run's page.

    Raises:
        ValueError: the folder holds no sweep, or no run yet.
    """
    with Store(folder) as store:
        return _page(store, prices, done, page_of)


def _page(store: Store, prices: Prices, done: Callable[[], Any], page_of: PageOf) -> str:
    rows, suites, last = store.rows(), store.suites, store.failures()
    if not rows:
        raise ValueError(f"{store.folder} has no run yet: play with coop sweep … -o {store.folder}")
    times, sections, waiting = Times(), [], []
    most_pages = max(1, MOST_PAGES // len(suites))
    for suite in suites:
        own = rows.of_suite(suite.name)
        failures = [f for f in last if f["suite"] == suite.name]
        if own:
            sections.append(_suite(suite, own, times, failures, prices, page_of, most_pages))
        else:
            waiting.append(suite.name)
        done()
    return pages.page(
        _TEMPLATE,
        {"number": number, "prose": prose, "words": words},
        suites[0].name if len(suites) == 1 else f"{len(suites)} experiments",
        script=True,
        suites=sections,
        waiting=waiting,
        skipped=store.content["skipped"],
        failures=[f for f in last if f["suite"] in waiting],
        simulated=sum(section["simulated"] for section in sections),
        runs=len(rows),
        happened=_play_words(sections),
        cells=sum(suite.size for suite in suites),
        made={name: sorted(values) for name, values in times.made.items()},
        prices=prices,
        reported=provenance(),
        level=f"{LEVEL:.0%}",
        resamples=RESAMPLES,
        many=MANY,
        between=between,
        difference=difference,
        shown=show_value,
    )


class Times:
    """The wall time of runs, by condition, and their provenance.

    Attributes:
        made: field of the runs' provenance → its distinct values.
    """

    def __init__(self) -> None:
        self.made: dict[str, set[str]] = {name: set() for name in MADE_BY}
        self._spent: dict[tuple[str, frozenset[tuple[str, str]]], Counter[str]] = {}

    def add(self, row: Row, volatile: Row) -> Row:
        """Add a run's times and provenance; return its row."""
        condition = row["suite"], frozenset(row["labels"].items())
        spent = self._spent.setdefault(condition, Counter())
        spent.update(volatile.get("phases", {}), turns=max(1, len(row["record"])), runs=1)
        for name in volatile.keys() & self.made.keys():
            self.made[name].add(volatile[name])
        return row

    def of(self, suite: str, labels: Labels) -> tuple[list[str], int]:
        """Return the mean wall seconds of each phase per turn, and the number of runs."""
        wanted = frozenset(labels.items())
        spent = self._spent.get((suite, wanted))
        if spent is None:  # the runs have labels of an axis that the suite no longer has
            found = (x for (name, own), x in self._spent.items() if name == suite and wanted <= own)
            spent = sum(found, Counter[str]())
        return [f"{spent[phase] / spent['turns']:.3f}" for phase in PHASES], spent["runs"]


def _play_words(sections: Sequence[dict[str, Any]]) -> str:
    """Return a sentence on the runs in which no turn was played, or "" if there are none."""
    ended = sum((section["ended"] for section in sections), Counter[str]())
    idle = {words: ended[status] for status, words in WITHOUT_PLAY.items() if ended[status]}
    if not idle:
        return ""
    told = "; ".join(f"{words} in {count}" for words, count in idle.items())
    return f"{sum(idle.values())} of {ended.total()} runs ended without a play: {told}."


def figures(folder: Path) -> list[tuple[str, Figure]]:
    """Return (file name, figure) for every figure of a sweep's report."""
    found = []
    with Store(folder) as store:
        for suite in store.suites:
            own = _keeper(suite).all(store.rows().of_suite(suite.name))
            found += [(f"{suite.name}_{n}", f) for n, f in enumerate(_figures(suite, own), start=1)]
    return found


def _keeper(suite: Suite, prices: Prices = NO_PRICES) -> Keeper:
    """Return a function that reduces rows to what tables, figures and the list of runs need."""
    kinds = [figure.kind for figure in suite.figures]
    return Keeper([*suite.columns, *DEFAULT_MEASURES, "tokens"], kinds, prices)


def _suite(
    suite: Suite,
    runs: Stored,
    times: Times,
    failures: Sequence[Row],
    prices: Prices,
    page_of: PageOf,
    most_pages: int,
) -> dict[str, Any]:
    """Return the template's variables for one suite."""
    rows = _keeper(suite, prices).all(starmap(times.add, runs.timed()))
    known = known_of(rows, DEFAULT_MEASURES)
    specs = suite.tables or [TableSpec(title="Measures", columns=known)]
    axes = list(suite.axes)
    groups = conditions(rows, axes)
    listed = runs_table(rows, runs, failures, known, page_of, most_pages)
    links = Links(f"runs-{suite.name}", {line["cell"]: line["page"] for line in listed["lines"]})
    compared, measures = _compare(suite, specs, rows), [c for spec in specs for c in spec.columns]
    return {
        "suite": suite,
        "finding": finding(rows, measures, compared, links),
        "all": links.of(rows),
        "runs": len(rows),
        "cells": suite.size,
        "seeds": _spans({row["seed"] for row in rows}),
        "models": sorted({model for row in rows for model in row["result"]["seats"].values()}),
        "simulated": sum(row["result"]["simulated"] for row in rows),
        "ended": Counter(row["result"]["status"] for row in rows),
        "tables": [table(spec, rows, axes, links) for spec in specs],
        "spent": _spent(groups, links),
        "compared": [_link(links, *one) for one in compared],
        "figures": _figures(suite, rows, links),
        "sections": _sections(runs, links),
        "times": [
            (group.name, links.of(group.rows), *times.of(suite.name, group.labels))
            for group in groups
        ],
        "listed": {**listed, "id": links.listed},
    }


def _sections(runs: Stored, links: Links) -> list[tuple[str, str]]:
    """Return (heading, HTML) of the sections that extensions bring."""
    titles = extension.offered("sections")
    return [(title, extension.load("sections", title)(runs, links)) for title in titles]


def _link(links: Links, a: Condition, b: Condition, found: list[Comparison]) -> tuple[Any, ...]:
    """Return a comparison with links to the runs of its first side, of its second, and of both."""
    sides = links.of(a.rows), links.of(b.rows)
    return a.name, b.name, found, *sides, links.of(a.rows, b.rows)


def _spent(groups: Sequence[Condition], links: Links) -> list[tuple[str, Linked, Spent]]:
    """Return (condition, link, cost) for conditions with a known cost; [] if all runs are free."""
    found = [
        (group.name, links.of(group.rows), one) for group in groups if (one := spent(group.rows))
    ]
    return found if any(one.total for *_, one in found) else []


def _spans(seeds: set[int]) -> str:
    """Return seeds in the notation of suites: 0-29, or 0-4, 10."""
    spans: list[list[int]] = []
    for seed in sorted(seeds):
        if spans and spans[-1][1] == seed - 1:
            spans[-1][1] = seed
        else:
            spans.append([seed, seed])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in spans)


def _figures(suite: Suite, rows: list[Row], links: Links | None = None) -> list[Figure]:
    drawn = [draw(spec, rows, list(suite.axes), links) for spec in suite.figures if rows]
    return [figure for figure in drawn if figure.svg]


def _compare(
    suite: Suite, specs: Sequence[TableSpec], rows: Sequence[Row]
) -> list[tuple[Condition, Condition, list[Comparison]]]:
    """Return comparisons of each label of an axis with its last label, on equal seeds."""
    axis = suite.compare or next(iter(suite.axes), "")
    groups = conditions(rows, [axis]) if axis else []
    columns = dict.fromkeys(c for spec in specs for c in spec.columns if find(c)[0].better)
    if len(groups) < 2 or not columns:
        return []
    last = groups[-1]
    return [
        (group, last, compare_rows(group.rows, last.rows, list(columns), [axis]))
        for group in groups[:-1]
    ]
