"""The finding of a suite in one sentence, made from its comparisons or its means."""

from collections.abc import Sequence

from shapley_coop.evals.cell import Row
from shapley_coop.extensions.reports.layout import show_value, words
from shapley_coop.extensions.reports.stats import Comparison
from shapley_coop.extensions.reports.summary import Condition, estimate

MOST = 2
"""The most measures in the sentence."""

CHANCE = 0.05
"""From this corrected p-value on, a difference may be chance."""

Compared = Sequence[tuple[Condition, Condition, Sequence[Comparison]]]


def finding(rows: Sequence[Row], columns: Sequence[str], compared: Compared) -> str:
    """Return a sentence on the changes from the first condition to the last, or on the means.

    Args:
        rows: the suite's runs.
        columns: the measures of the suite's tables.
        compared: (first condition, last condition, comparisons) as the report compares them.
    """
    if known := [one for one in compared if one[2]]:
        first, last, found = known[0]
        changed = sorted(found, key=lambda c: not c.difference.value)  # unchanged measures last
        told = "; ".join(_change(c) for c in changed[:MOST])
        return f"From {first.name} to {last.name}, {told}."
    means = [(column, estimate(rows, column)) for column in columns]
    told = "; ".join(
        f"{words(column)} was {show_value(column, e.value)} (n = {e.n})"
        for column, e in [(column, e) for column, e in means if e.n][:MOST]
    )
    return f"{told[:1].upper()}{told[1:]}." if told else ""


def _change(c: Comparison) -> str:
    before, after = show_value(c.measure, c.first), show_value(c.measure, c.second)
    n = f"n = {c.difference.n} each"
    if not c.difference.value or before == after:
        return f"{words(c.measure)} stayed at {after} ({n})"
    verb = "rose" if c.difference.value > 0 else "fell"
    chance = "" if c.adjusted < CHANCE else ", may be chance"
    return f"{words(c.measure)} {verb} from {before} to {after} ({n}{chance})"
