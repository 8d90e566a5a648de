"""`coop sweep` and `coop eval`: running experiments."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from shapley_coop.cli import comprehending, reporting
from shapley_coop.cli.console import finish, note, progress, say, say_json, show_table
from shapley_coop.cli.options import BaseUrl, Json, Keep, NoSandbox, PriceFile

if TYPE_CHECKING:
    from shapley_coop.evals.measures.stats import Comparison, Estimate
    from shapley_coop.evals.sweeps.langsmith import Experiment
    from shapley_coop.evals.sweeps.prices import Prices
    from shapley_coop.evals.sweeps.stored import Row
    from shapley_coop.evals.sweeps.suite import Cell, Suite
    from shapley_coop.evals.sweeps.sweep import Limits, Tally

INCOMPLETE = 1
MOST_COLUMNS = 8
"""Conditions that are printed side by side, where a suite lays out tables of its own."""

ALL = "all"

Out = Annotated[Path | None, typer.Option("-o", "--out", help="The sweep's folder.")]
Seeds = Annotated[str, typer.Option(help="In place of the file's: 0-29, or 0-4,10.")]
Failures = Annotated[float, typer.Option(help="The part of the cells that may fail.", min=0, max=1)]
Dollars = Annotated[float | None, typer.Option(help="USD, over all runs of the folder.", min=0)]
AtOnce = Annotated[int, typer.Option(help="Runs side by side.", min=1, max=1000)]

RequestRate = Annotated[
    list[str] | None, typer.Option(help="N, or provider=N: requests a minute.", metavar="N")
]
TokenRate = Annotated[
    list[str] | None, typer.Option(help="N, or provider=N: tokens a minute.", metavar="N")
]


def sweep(
    suites: Annotated[list[str], typer.Argument(help="Suites by name or file; 'all' is each.")],
    out: Out = None,
    limit: Annotated[int | None, typer.Option(help="Only the first N cells.", min=1)] = None,
    seeds: Seeds = "",
    max_connections: AtOnce = 16,
    shard: Annotated[
        str,
        typer.Option(
            help="i/n: one of n disjoint parts, in a home of its own; auto, or auto/n: this task's "
            "of a Kubernetes Indexed Job or a Slurm array."
        ),
    ] = "",
    keep: Annotated[
        Keep, typer.Option(help="Whose letters and checkpoints stay once their row is written.")
    ] = Keep.ALL,
    cost_limit: Dollars = None,
    prices: PriceFile = None,
    rpm: RequestRate = None,
    tpm: TokenRate = None,
    fail_on_error: Failures = 0.05,
    dry_run: Annotated[bool, typer.Option(help="Say what it would take; run nothing.")] = False,
    remote: Annotated[str, typer.Option(help="URL of a LangGraph server that runs them.")] = "",
    _unsafe: NoSandbox = False,
) -> None:
    """Run every cell of a suite once. Run it again to go on where it stopped."""
    from shapley_coop.evals.sweeps.prices import check_prices
    from shapley_coop.evals.sweeps.shards import live_in_home_of, shard_from
    from shapley_coop.evals.sweeps.shards import shard as shard_of
    from shapley_coop.seats.keys import keys_bound

    part = shard_from(shard, os.environ)
    if remote and keep != Keep.ALL:
        raise ValueError(f"--keep {keep}: a server keeps its threads itself; leave out --remote")
    chosen, cells, skipped = _cells(suites, seeds)
    known = reporting.prices_from(prices)
    cells = (shard_of(cells, *part) if part else cells)[:limit]
    folder = out or sweep_folder(chosen[0].name if len(chosen) == 1 else "suites")
    if dry_run:
        from shapley_coop.cli.forecasting import show_forecast

        show_forecast(cells, folder, known)
        return
    if cost_limit is not None:
        check_prices(known, cells)
    limited = rpm or tpm
    if not limited and keep == Keep.ALL and _nothing_left(chosen, cells, folder, skipped):
        return
    from shapley_coop.evals.sweeps.gates import rates_from
    from shapley_coop.evals.sweeps.sweep import Limits

    rates = rates_from(rpm or [], tpm or [])
    limits = Limits(max_connections, cost_limit, fail_on_error, rates)
    if part:
        live_in_home_of(*part)
    how: Any = {"skipped": skipped, "part": part, "remote": remote, "keep": keep.value}
    how["prices"] = prices_of_paid(cells, known)
    with keys_bound():  # a suite is a file, which may be somebody else's
        _tell(folder, run_cells(chosen, cells, folder, limits=limits, **how))


def _nothing_left(
    suites: "Sequence[Suite]", cells: "Sequence[Cell]", folder: Path, skipped: dict[str, str]
) -> bool:
    """Say so where every cell has its row, before anything is imported that plays one."""
    from shapley_coop.evals.sweeps.index import cells_in
    from shapley_coop.evals.sweeps.store import register as enter

    ended = cells_in(folder)
    if not all(cell.id in ended for cell in cells):
        return False
    enter(folder, suites, skipped)
    _tell_counts(folder, 0, len(cells), 0)
    return True


def _tell_counts(folder: Path, done: int, before: int, left: int) -> None:
    say(f"{folder}: {done} run, {before} there before, {left} left")


def _tell(folder: Path, tally: "Tally") -> None:
    """How a sweep ended."""
    _tell_counts(folder, tally.done, tally.before, tally.left)
    if tally.failed:
        note(f"{tally.failed} failed: coop status {folder} says why; the same command tries again")
    if tally.stopped:
        note(f"stopped: {tally.stopped}; the same command goes on")
        sys.exit(INCOMPLETE)


def evaluate(
    suite: Annotated[
        str,
        typer.Argument(
            help="A suite by name or file; 'letters' asks a model what its letters mean."
        ),
    ],
    out: Out = None,
    seeds: Seeds = "",
    max_connections: AtOnce = 16,
    model: Annotated[str, typer.Option(help="Of 'letters': who is asked.")] = "",
    base_url: BaseUrl = None,
    upload: Annotated[
        bool, typer.Option(help="To LangSmith: a dataset, and an experiment a condition.")
    ] = False,
    baseline: Annotated[
        str, typer.Option(help="A sweep's folder, or an uploaded experiment, to compare with.")
    ] = "",
    prices: PriceFile = None,
    as_json: Json = False,
    _unsafe: NoSandbox = False,
) -> None:
    """Run a suite and score every run; without --upload nothing leaves this machine."""
    if suite == comprehending.LETTERS:
        comprehending.ask_about_letters(model, base_url, seeds, max_connections, as_json)
        return
    if model or base_url:
        raise ValueError(
            "--model and --base-url go with coop eval letters: a suite names its seats"
        )
    from shapley_coop.evals.sweeps.langsmith import Experiment, against
    from shapley_coop.evals.sweeps.langsmith import upload as to_langsmith
    from shapley_coop.evals.sweeps.sweep import Limits

    chosen, cells, _ = _cells([suite], seeds)
    folder = out or sweep_folder(chosen[0].name)
    known = reporting.prices_from(prices)
    known = known if prices else prices_of_paid(cells, known)
    limits = Limits(at_once=max_connections)
    tally = run_cells(chosen, cells, folder, limits=limits, prices=known)
    experiment = Experiment.of(chosen[0], rows_of(folder, cells), known)
    compared = against(experiment, baseline) if baseline else {}
    names: list[str] = []
    try:
        names = to_langsmith(experiment) if upload else []
    finally:
        # The runs are scored on this machine, whatever LangSmith does.
        _show(experiment, compared, names, as_json)
    if tally.left:
        note(f"{tally.left} cells are left: coop status {folder}")
        sys.exit(INCOMPLETE)


def run_cells(
    suites: "Sequence[Suite]",
    cells: "Sequence[Cell]",
    folder: Path,
    *,
    what: str = "",
    limits: "Limits | None" = None,
    prices: "Prices | None" = None,
    skipped: dict[str, str] | None = None,
    part: tuple[int, int] | None = None,
    remote: str = "",
    keep: str = Keep.ALL.value,
) -> "Tally":
    """Run those cells that a sweep's folder lacks, with a progress bar in a terminal.

    Args:
        suites: of the cells; the folder remembers them, and those `skipped`.
        cells: in this order, here or on the server at the URL `remote`.
        folder: the sweep's; `part` is the shard of it that is written.
        what: title of the bar.
        limits: when to stop; `prices` are for the cost.
        keep: of which runs letters and checkpoints stay: see `Local`.
    """
    from shapley_coop.evals.sweeps.local import Local
    from shapley_coop.evals.sweeps.prices import NO_PRICES
    from shapley_coop.evals.sweeps.remote import Remote
    from shapley_coop.evals.sweeps.store import Writer
    from shapley_coop.evals.sweeps.store import register as enter
    from shapley_coop.evals.sweeps.sweep import Limits, check_cells, sweep

    if not remote:
        check_cells(cells)
    name, title = enter(folder, suites, skipped or {}), what or f"{len(cells)} cells"
    player = Remote(remote, name) if remote else Local(name, cast(Any, keep))
    with Writer(folder, part) as writer, progress(len(cells), title) as moved:
        try:
            limits, prices = limits or Limits(), prices or NO_PRICES
            return finish(sweep(cells, player, writer, limits, prices, lambda _: moved(), note))
        except KeyboardInterrupt:
            note(f"stopped; {folder} keeps what is done, and the same command goes on")
            raise


def rows_of(folder: Path, cells: "Sequence[Cell]") -> "list[Row]":
    """The rows that a sweep's folder has of these cells."""
    from shapley_coop.evals.sweeps.store import read_rows

    wanted = {cell.id for cell in cells}
    return [row for row in read_rows(folder) if row["cell"] in wanted]


def _cells(names: list[str], seeds: str) -> "tuple[list[Suite], list[Cell], dict[str, str]]":
    """The suites and their cells. Of `all`, those that cannot be played here are skipped."""
    from shapley_coop.evals.reports.wanted import check_report
    from shapley_coop.evals.sweeps.seeds import parse_seeds
    from shapley_coop.evals.sweeps.suite import expand, load_suite, shipped

    given = parse_seeds(seeds) if seeds else []
    suites, cells, skipped = [], [], {}
    for name in shipped() if names == [ALL] else names:
        suite = load_suite(name)
        suite = suite.model_copy(update={"seeds": given or suite.seeds})
        check_report(suite)
        try:
            cells += expand(suite)
        except ValueError as error:
            if names != [ALL]:
                raise
            note(f"skipped {name}: {error}")
            skipped[name] = str(error)
        else:
            suites.append(suite)
    return suites, cells, skipped


def sweep_folder(name: str) -> Path:
    """Where the rows of a sweep are kept unless a folder is given."""
    from shapley_coop.state import home

    return home().folder / "sweeps" / name


def prices_of_paid(cells: "Sequence[Cell]", prices: "Prices") -> "Prices":
    """The prices; none where every model is free, so that no cost has to be added up."""
    from shapley_coop.evals.sweeps.prices import NO_PRICES, is_free, models_of

    return NO_PRICES if all(map(is_free, models_of(cells))) else prices


def _show(
    experiment: "Experiment",
    compared: "dict[str, list[Comparison]]",
    uploaded: list[str],
    as_json: bool,
) -> None:
    summary = experiment.summary()
    if as_json:
        found = {n: {k: reporting.known(e) for k, e in s.items()} for n, s in summary.items()}
        pairs = {n: [reporting.as_json(c) for c in cs] for n, cs in compared.items()}
        name = experiment.suite.name
        say_json({"suite": name, "conditions": found, "compared": pairs, "uploaded": uploaded})
        return
    _show_tables(experiment)
    if len(summary) <= MOST_COLUMNS or not experiment.suite.tables:
        _show_summary(experiment.suite.name, summary)
    for name, comparisons in compared.items():
        reporting.show_comparisons(f"{name} minus the baseline", comparisons)
    for name in uploaded:
        say(f"uploaded {name}")


def _show_tables(experiment: "Experiment") -> None:
    """Print the tables that the suite itself lays out: a line for each condition."""
    from shapley_coop.evals.measures.summary import conditions, estimate
    from shapley_coop.evals.reports.layout import selected, words

    rows = [row for group in experiment.groups for row in group.rows]
    for spec in experiment.suite.tables:
        axes = spec.rows or [axis for axis in experiment.suite.axes if axis not in spec.where]
        lines = [
            [group.name, *(estimate(group.rows, column).shown(2) for column in spec.columns)]
            for group in conditions(selected(rows, spec.where), axes)
        ]
        show_table(spec.title, [", ".join(axes) or "runs", *map(words, spec.columns)], lines)


def _show_summary(suite: str, summary: "dict[str, dict[str, Estimate]]") -> None:
    """Print every measure, a column for each condition."""
    keys, every = (
        dict.fromkeys(key for found in summary.values() for key in found),
        summary.values(),
    )
    lines = [[k, *(found[k].shown(2) if k in found else "—" for found in every)] for k in keys]
    show_table(suite, ["measure", *summary], lines)
