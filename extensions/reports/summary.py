"""Summaries of many runs: conditions, estimates, paired comparisons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import find, score
from shapley_coop.extensions.reports.stats import (
    Comparison,
    Estimate,
    compare,
    correct,
    mean_interval,
    rate_interval,
)

Labels = Mapping[str, str]

DEFAULT_MEASURES = (
    "won",
    "social_welfare",
    "agreement",
    "share_distance",
    "breaches",
    "over_claim",
    "cost",
)
"""The measures that reports and comparisons show by default, if the runs have them."""


@dataclass(frozen=True)
class Condition:
    """A condition of an experiment: the runs with the same labels on some axes."""

    labels: Labels
    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        """The labels in one line, for display."""
        return " · ".join(self.names) or "all runs"

    @property
    def key(self) -> tuple[str, ...]:
        """The labels without their axes, in the order of the axes."""
        return tuple(self.labels.values())

    @property
    def names(self) -> list[str]:
        """The labels for display; a label that is a number gets its axis as a prefix."""
        return [f"{a} {label}" if label.isdigit() else label for a, label in self.labels.items()]


def conditions(rows: Sequence[Row], axes: Sequence[str]) -> list[Condition]:
    """Return the runs grouped by their labels on some axes, in the order of first occurrence."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row["labels"][axis] for axis in axes), []).append(row)
    return [
        Condition(dict(zip(axes, labels, strict=True)), tuple(runs))
        for labels, runs in found.items()
    ]


def estimate(rows: Sequence[Row], column: str) -> Estimate:
    """Return a measure's estimate: a rate or a mean, with its binomial or its bootstrap interval.

    Raises:
        ValueError: the measure does not exist.
    """
    values = [x for row in rows if (x := score(row, column)) is not None]
    kind = find(column)[0].kind
    return rate_interval(values) if kind == "rate" else mean_interval(values)


def compare_rows(
    first: Sequence[Row],
    second: Sequence[Row],
    columns: Sequence[str] = DEFAULT_MEASURES,
    differing: Sequence[str] = (),
) -> list[Comparison]:
    """Compare runs in pairs with equal seed, repetition and labels, except on axes `differing`.

    Holm's correction is over all columns together. A column is left out if no pair has values.

    Raises:
        ValueError: one side has two runs of equal seed, repetition and labels, or no runs pair.
    """
    ours, theirs = _by_key(first, differing), _by_key(second, differing)
    if not ours.keys() & theirs.keys():
        raise ValueError("no two runs share seed, repetition and other labels: there are no pairs")
    found = []
    for column in columns:
        both = [
            (score(row, column), score(theirs[key], column))
            for key, row in ours.items()
            if key in theirs
        ]
        if pairs := [(x, y) for x, y in both if x is not None and y is not None]:
            found.append(compare(column, pairs))
    return correct(found)


def _by_key(rows: Sequence[Row], differing: Sequence[str]) -> dict[object, Row]:
    keyed: dict[object, Row] = {}
    alike: dict[object, object] = {}
    for row in rows:
        rest = frozenset(pair for pair in row["labels"].items() if pair[0] not in differing)
        key = (row["suite"], alike.setdefault(rest, rest), row["seed"], row["repetition"])
        if key in keyed:
            other = keyed[key]["labels"]
            both = sorted({a for a in differing if other.get(a) != row["labels"].get(a)})
            raise ValueError(
                f"runs differ in {', '.join(both)}: choose one label of each, as axis=label"
            )
        keyed[key] = row
    return keyed
