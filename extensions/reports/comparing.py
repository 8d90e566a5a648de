"""`coop compare`: compare two sets of runs on the same seeds."""

import json
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import say, say_json, show_table
from shapley_coop.cli.options import Json, PriceFile, prices_from

if TYPE_CHECKING:
    from shapley_coop.evals.cell import Row
    from shapley_coop.extensions.reports.kept import Keeper
    from shapley_coop.extensions.reports.stats import Comparison

Runs = Annotated[str, typer.Argument(help="DIR, or DIR:axis=label,… for some of its runs.")]


def compare(
    first: Runs,
    second: Runs,
    measure: Annotated[
        list[str] | None, typer.Option(help="A measure; tests of several are corrected together.")
    ] = None,
    prices: PriceFile = None,
    as_json: Json = False,
) -> None:
    """Compare two sets of runs on the same seeds: differences, effect sizes, corrected tests."""
    from shapley_coop.evals.measures.evaluators import find
    from shapley_coop.extensions.reports.kept import Keeper, known_of
    from shapley_coop.extensions.reports.summary import DEFAULT_MEASURES, compare_rows

    wanted: Sequence[str] = measure or DEFAULT_MEASURES
    for column in wanted:
        find(column)
    keep = Keeper(wanted, prices=prices_from(prices))
    (ours, a), (theirs, b) = _select_runs(first, keep), _select_runs(second, keep)
    found = compare_rows(ours, theirs, measure or known_of([*ours, *theirs], wanted), sorted(a | b))
    if as_json:
        say_json([comparison_json(comparison) for comparison in found])
        return
    show_comparisons(f"{second} minus {first}", found)


def show_comparisons(title: str, found: "Sequence[Comparison]") -> None:
    """Print a table of comparisons whose p-values were corrected together."""
    columns = ["measure", "A", "B", "B − A", "d_z", "more/same/fewer", "p", "p (Holm)"]
    lines = []
    for c in found:
        means = [c.measure, f"{c.first:.3f}", f"{c.second:.3f}", c.difference.shown(3)]
        effect = f"{c.effect:.2f}" if isfinite(c.effect) else "—"
        pairs = f"{c.more}/{c.difference.n - c.more - c.fewer}/{c.fewer}"
        lines.append([*means, effect, pairs, f"{c.p:.4f}", f"{c.adjusted:.4f}"])
    show_table(title, columns, lines)
    say(f"n counts pairs of runs. p: two-sided, {'; '.join(sorted({c.test for c in found}))}.")


def comparison_json(comparison: "Comparison") -> dict[str, Any]:
    """Return a comparison as plain JSON; unknown numbers are null."""
    return {**numbers_json(comparison), "difference": numbers_json(comparison.difference)}


def numbers_json(numbers: object) -> dict[str, Any]:
    """Return an object's attributes as plain JSON; infinite and undefined numbers become null."""
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in vars(numbers).items()
    }


def _select_runs(given: str, keep: "Keeper") -> "tuple[list[Row], set[str]]":
    """Return the runs that the text DIR:axis=label,… selects, and the axes that the text names."""
    from shapley_coop.extensions.sweeps.store import Store

    name, _, pairs = given.rpartition(":") if ":" in given else (given, "", "")
    if Path(given).is_dir():
        name, pairs = given, ""
    wanted = {}
    for pair in filter(None, pairs.split(",")):
        axis, equals, label = pair.partition("=")
        if not equals:
            raise ValueError(f"{given}: {pair!r} is not axis=label")
        wanted[axis.strip()] = label.strip()
    with Store(Path(name)) as store:
        rows = store.rows()
        chosen = rows.where(wanted)
        if not chosen:
            every = [json.loads(kind.labels) for kind in rows.kinds]
            axes = {a: sorted({one.get(a, "") for one in every}) for one in every for a in one}
            raise ValueError(f"{given} selects no runs: choose from {axes or 'none'}")
        return keep.all(chosen), set(wanted)
