"""`coop status`, `merge`, `export` and `compare`: read the results of sweeps."""

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import progress, say, say_json, show_table
from shapley_coop.cli.options import Json, PriceFile

if TYPE_CHECKING:
    from shapley_coop.evals.sweeps.prices import Prices
    from shapley_coop.evals.sweeps.stored import Row
    from shapley_coop.extensions.reports.kept import Keeper
    from shapley_coop.extensions.reports.stats import Comparison

ROWS = "rows"
"""The format of `coop export` that writes rows unchanged and makes no tables."""

Folder = Annotated[Path, typer.Argument(help="A sweep's folder.", metavar="DIR")]
Runs = Annotated[str, typer.Argument(help="DIR, or DIR:axis=label,… for some of its runs.")]


def status(folder: Folder, as_json: Json = False) -> None:
    """Show a sweep's progress, calls and failures; coop sweep tries failed cells again."""
    from shapley_coop.evals.sweeps.store import Store

    with Store(folder) as store:
        skipped, ended, failures = store.content["skipped"], store.counts(), store.failures()
        cells = {suite.name: suite.size for suite in store.suites}
    done, calls = ({n: ended.get(n, (0, 0))[at] for n in cells} for at in (0, 1))
    lost = Counter(failure["suite"] for failure in failures)
    if as_json:
        found = {n: {"cells": c, "done": done[n], "failed": lost[n]} for n, c in cells.items()}
        told = ("cell", "suite", "labels", "seed", "error", "said")
        failed = [{key: f[key] for key in told if key in f} for f in failures]
        say_json({"suites": found, "skipped": skipped, "failures": failed})
        return
    lines = [
        [n, *map(str, (done[n], lost[n], c - done[n] - lost[n], c, calls[n]))]
        for n, c in cells.items()
    ]
    show_table(str(folder), ["suite", "done", "failed", "left", "cells", "calls"], lines)
    for name, reason in skipped.items():
        say(f"skipped {name}: {reason}")
    for failure in failures:
        where = ", ".join(f"{axis} {label}" for axis, label in failure["labels"].items())
        said = f"; {failure['said']}" if "said" in failure else ""
        at = " ".join(filter(None, (failure["suite"], where and f"({where})")))
        say(f"failed {at} seed {failure['seed']}: {failure['error']}{said}")


def merge(
    folders: Annotated[list[Path], typer.Argument(help="Folders of one sweep.", metavar="DIR…")],
    out: Annotated[Path, typer.Option("-o", "--out", help="A new folder.")],
) -> None:
    """Merge several machines' folders of one sweep, with each run once."""
    from shapley_coop.evals.sweeps.folders import merge as together

    say(f"{out}: {together(folders, out)} runs")


def export(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Where to write. Default: DIR/tables.")
    ] = None,
    format_: Annotated[
        str, typer.Option("--format", help="csv, jsonl or parquet: tables; rows: whole runs.")
    ] = "csv",
    prices: PriceFile = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Write a sweep's tidy tables, or its unchanged rows."""
    from shapley_coop.evals.sweeps.folders import write_rows
    from shapley_coop.evals.sweeps.store import Store

    into = out or folder / "tables"
    with Store(folder) as store:
        if format_ == ROWS:
            say(str(write_rows(store, into, force)))
            return
        count = len(store.rows())
    from shapley_coop.extensions.reports.tables import tables
    from shapley_coop.extensions.reports.writing import check_new, write

    if not force:
        check_new(into, format_)
    with progress(count, f"{count} runs") as moved:
        written = write(tables(folder, prices_from(prices), moved), into, format_)
    for path in written:
        say(str(path))


def compare(
    first: Runs,
    second: Runs,
    measure: Annotated[
        list[str] | None, typer.Option(help="A measure; tests of several are corrected together.")
    ] = None,
    prices: PriceFile = None,
    as_json_: Json = False,
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
    if as_json_:
        say_json([as_json(comparison) for comparison in found])
        return
    show_comparisons(f"{second} minus {first}", found)


def prices_from(path: Path | None) -> "Prices":
    """Return the prices in a file, or the shipped prices."""
    from shapley_coop.evals.sweeps.prices import read_prices

    return read_prices(path) if path else read_prices()


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


def as_json(comparison: "Comparison") -> dict[str, Any]:
    """Return a comparison as plain JSON; unknown numbers are null."""
    return {**numbers_json(comparison), "difference": numbers_json(comparison.difference)}


def numbers_json(numbers: object) -> dict[str, Any]:
    """Return an object's attributes as plain JSON, with null for infinite and undefined numbers."""
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in vars(numbers).items()
    }


def _select_runs(given: str, keep: "Keeper") -> "tuple[list[Row], set[str]]":
    """Return the runs that the text DIR:axis=label,… selects, and the axes that the text names."""
    import json

    from shapley_coop.evals.sweeps.store import Store

    name, _, pairs = given.rpartition(":") if ":" in given else (given, "", "")
    if Path(given).is_dir():
        name, pairs = given, ""
    wanted = {}
    for pair in filter(None, pairs.split(",")):
        axis, equals, label = pair.partition("=")
        if not equals:
            raise ValueError(f"{given}: {pair!r} is no axis=label")
        wanted[axis.strip()] = label.strip()
    with Store(Path(name)) as store:
        rows = store.rows()
        chosen = rows.where(lambda labels: wanted.items() <= labels.items())
        if not chosen:
            every = [json.loads(kind.labels) for kind in rows.kinds]
            axes = {a: sorted({one.get(a, "") for one in every}) for one in every for a in one}
            raise ValueError(f"{given} selects no runs: there are {axes or 'none'}")
        return keep.all(chosen), set(wanted)
