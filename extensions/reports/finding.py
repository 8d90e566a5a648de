"""The finding of a suite in one sentence, made from its comparisons or its means."""

from collections.abc import Sequence

from markupsafe import Markup

from shapley_coop.evals.cell import Row
from shapley_coop.extensions.reports.layout import show_value, words
from shapley_coop.extensions.reports.linking import Links
from shapley_coop.extensions.reports.stats import Comparison
from shapley_coop.extensions.reports.summary import Condition, estimate

MOST = 2
"""The most measures in the sentence."""

CHANCE = 0.05
"""Differences with at least this corrected p-value may be due to chance."""

Compared = Sequence[tuple[Condition, Condition, Sequence[Comparison]]]


def finding(
    rows: Sequence[Row], columns: Sequence[str], compared: Compared, links: Links | None = None
) -> Markup:
    """Return, as HTML, the changes from the first condition to the last, or else the means.

    Args:
        rows: the suite's runs.
        columns: the measures of the suite's tables.
        compared: tuples (first condition, last condition, comparisons of the two).
        links: the links from the sentence's numbers to their runs, or None for none.
    """
    if known := [one for one in compared if one[2]]:
        first, last, found = known[0]
        changed = sorted(found, key=lambda c: not c.difference.value)  # unchanged measures last
        told = _JOIN.join(_change(c, first, last, links) for c in changed[:MOST])
        return Markup("From {} to {}, {}.").format(first.name, last.name, told)
    means = [(column, estimate(rows, column)) for column in columns]
    lines = [
        Markup("{} was {} (n = {})").format(
            words(column), _to(links, show_value(column, e.value), rows), _to(links, str(e.n), rows)
        )
        for column, e in [(column, e) for column, e in means if e.n][:MOST]
    ]
    told = _JOIN.join(lines)
    return told[:1].upper() + told[1:] + "." if told else Markup("")


_JOIN = Markup("; ")


def _to(links: Links | None, number: str, *groups: Sequence[Row]) -> str:
    """Return a number as a link to the runs of some groups, or unchanged without links."""
    return links.of(*groups).around(number) if links else number


def _change(c: Comparison, first: Condition, last: Condition, links: Links | None) -> Markup:
    before, after = show_value(c.measure, c.first), show_value(c.measure, c.second)
    n, end = _to(links, str(c.difference.n), first.rows, last.rows), _to(links, after, last.rows)
    if not c.difference.value or before == after:
        return Markup("{} stayed at {} (n = {} each)").format(words(c.measure), end, n)
    verb = "rose" if c.difference.value > 0 else "fell"
    chance = "" if c.adjusted < CHANCE else ", may be chance"
    return Markup("{} {} from {} to {} (n = {} each{})").format(
        words(c.measure), verb, _to(links, before, first.rows), end, n, chance
    )
