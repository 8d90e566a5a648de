"""Compares the ways on the apps: how far off, in what order, from how many plays, how sure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from extensions.attribute.tests.benchmark.apps import KnownApp
from extensions.attribute.tests.benchmark.shapes import build
from extensions.attribute.tests.benchmark.ways import WITHOUT, Found, Judge, valued

NEARLY = 1e-9
"""Values that differ by less, as a part of the mean one, are equal."""


@dataclass(frozen=True)
class Row:
    """One way on one app.

    Attributes:
        app: its name.
        seed: of its tasks.
        way: how its agents were valued.
        error: the largest among its agents against the exact Shapley value, as a part of the mean
            absolute value; None without values.
        ordered: the part of pairs of agents whose exact values differ that are in the right order;
            a tie counts half. None without such pairs, or without values.
        plays: of coalitions, times tasks.
        all_plays: that every coalition takes.
        stated: intervals.
        held: how many of them hold the exact value of what the way estimates.
        why: there are no values.
    """

    app: str
    seed: int
    way: str
    error: float | None
    ordered: float | None
    plays: float
    all_plays: int
    stated: int
    held: int
    why: str = ""


def run(
    apps: Sequence[KnownApp],
    seeds: Iterable[int] = (0,),
    inputs: int = 20,
    judge: Judge | None = None,
    progress: Callable[[], Any] = lambda: None,
) -> list[Row]:
    """Value the agents of every app in every way.

    Args:
        apps: with known values.
        seeds: of tasks and failures; apps that are alike in every run have the first one alone.
        inputs: tasks of an app whose tasks differ.
        judge: of the judge's row.
        progress: called after each app and seed.
    """
    rows = []
    for known in apps:
        for seed in list(seeds)[: 1 if known.is_certain else None]:
            built = build(known, inputs, seed)
            with TemporaryDirectory() as folder:
                found = valued(built, Path(folder) / "calls.sqlite", judge)
            everything = len(built.inputs) * 2 ** len(known.agents)
            rows += [row(known, seed, way, one, everything) for way, one in found.items()]
            progress()
    return rows


def row(known: KnownApp, seed: int, way: str, found: Found, everything: int) -> Row:
    """Compare what a way says of an app with what is known of it."""
    truth = known.shapley()
    aim = known.leave_one_out() if way == WITHOUT else truth
    scale = mean(map(abs, truth.values()))
    slack = NEARLY * scale
    held = [low - slack <= aim[a] <= high + slack for a, (low, high) in found.intervals.items()]
    values, error = found.values, None
    if values is not None:
        error = max(abs(values[agent] - x) for agent, x in truth.items()) / scale
    return Row(
        app=known.name,
        seed=seed,
        way=way,
        error=error,
        ordered=None if values is None else ordered(truth, values, slack),
        plays=found.plays,
        all_plays=everything,
        stated=len(held),
        held=sum(held),
        why=found.why,
    )


def ordered(truth: Mapping[str, float], values: Mapping[str, float], slack: float) -> float | None:
    """Return the part of pairs with different exact values that are in the right order."""
    marks = []
    for a, b in combinations(truth, 2):
        right, said = truth[a] - truth[b], values[a] - values[b]
        if abs(right) > slack:
            marks.append(0.5 if abs(said) <= slack else float(right * said > 0))
    return mean(marks) if marks else None


def summary(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Summarise the rows by way: means over apps and seeds, sums of plays and intervals."""
    told = []
    for way in dict.fromkeys(one.way for one in rows):
        own = [one for one in rows if one.way == way]
        errors = [one.error for one in own if one.error is not None]
        orders = [one.ordered for one in own if one.ordered is not None]
        stated = sum(one.stated for one in own)
        told.append(
            {
                "way": way,
                "runs": len(own),
                "without_values": sum(one.error is None for one in own),
                "error": mean(errors) if errors else None,
                "worst": max(errors, default=None),
                "ordered": mean(orders) if orders else None,
                "plays": sum(one.plays for one in own),
                "part_of_plays": sum(o.plays for o in own) / sum(o.all_plays for o in own),
                "stated": stated,
                "held": sum(one.held for one in own) / stated if stated else None,
            }
        )
    return told


def as_json(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the rows as plain JSON."""
    return [asdict(one) for one in rows]
