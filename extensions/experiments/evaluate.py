"""The command `coop eval`, which runs and scores a suite."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import note, say, say_json, show_table
from shapley_coop.cli.options import Json, NoSandbox, PriceFile, prices_from
from shapley_coop.extensions.sweeps.commands.sweep import (
    INCOMPLETE,
    AtOnce,
    Out,
    Seeds,
    sweep_folder,
)
from shapley_coop.extensions.sweeps.playing import Limits
from shapley_coop.extras import is_installed, missing_library

if TYPE_CHECKING:
    from shapley_coop.extensions.experiments.experiments import Experiment
    from shapley_coop.extensions.reports.stats import Comparison, Estimate

MOST_COLUMNS = 8
"""The most conditions that are printed side by side for a suite that also has tables."""


def evaluate(
    suite: Annotated[str, typer.Argument(help="A suite by name or file.")],
    out: Out = None,
    seeds: Seeds = "",
    max_connections: AtOnce = 16,
    upload: Annotated[
        bool, typer.Option(help="Upload a dataset and an experiment per condition to LangSmith.")
    ] = False,
    baseline: Annotated[
        str, typer.Option(help="A sweep's folder, or an uploaded experiment, to compare with.")
    ] = "",
    prices: PriceFile = None,
    as_json: Json = False,
    _unsafe: NoSandbox = False,
) -> None:
    """Run a suite and score every run; without --upload nothing leaves this machine."""
    from shapley_coop.evals.prices import NO_PRICES, is_free
    from shapley_coop.extensions.experiments.experiments import Experiment, against
    from shapley_coop.extensions.experiments.experiments import upload as to_langsmith
    from shapley_coop.extensions.sweeps.cells import models_of
    from shapley_coop.extensions.sweeps.running import cells_of_suites, rows_of, run_cells

    if not is_installed("scipy"):
        raise missing_library("coop eval", "scipy", "reports")
    chosen, cells, _ = cells_of_suites([suite], seeds)
    folder = out or sweep_folder(chosen[0].name)
    free = all(map(is_free, models_of(cells)))  # if all are free, leave out costs
    known = NO_PRICES if free and not prices else prices_from(prices)
    tally = run_cells(chosen, cells, folder, limits=Limits(max_connections), prices=known)
    experiment = Experiment.of(chosen[0], rows_of(folder, cells), known)
    compared = against(experiment, baseline) if baseline else {}
    names: list[str] = []
    try:
        names = to_langsmith(experiment) if upload else []
    finally:
        # The scores are local, so they are shown even if the upload fails.
        _show(experiment, compared, names, as_json)
    if tally.left:
        note(f"{tally.left} cells are left: coop status {folder}")
        sys.exit(INCOMPLETE)


def _show(
    experiment: "Experiment",
    compared: "dict[str, list[Comparison]]",
    uploaded: list[str],
    as_json: bool,
) -> None:
    from shapley_coop.extensions.reports.comparing import (
        comparison_json,
        numbers_json,
        show_comparisons,
    )

    summary = experiment.summary()
    if as_json:
        found = {n: {k: numbers_json(e) for k, e in s.items()} for n, s in summary.items()}
        pairs = {n: [comparison_json(c) for c in cs] for n, cs in compared.items()}
        name = experiment.suite.name
        say_json({"suite": name, "conditions": found, "compared": pairs, "uploaded": uploaded})
        return
    _show_tables(experiment)
    if len(summary) <= MOST_COLUMNS or not experiment.suite.tables:
        _show_summary(experiment.suite.name, summary)
    for name, comparisons in compared.items():
        show_comparisons(f"{name} minus the baseline", comparisons)
    for name in uploaded:
        say(f"uploaded {name}")


def _show_tables(experiment: "Experiment") -> None:
    """Print the suite's own tables, with a line for each condition."""
    from shapley_coop.extensions.reports.layout import select, words
    from shapley_coop.extensions.reports.summary import conditions, estimate

    rows = [row for group in experiment.groups for row in group.rows]
    for spec in experiment.suite.tables:
        axes = spec.rows or [axis for axis in experiment.suite.axes if axis not in spec.where]
        lines = [
            [group.name, *(estimate(group.rows, column).shown(2) for column in spec.columns)]
            for group in conditions(select(rows, spec.where), axes)
        ]
        show_table(spec.title, [", ".join(axes) or "runs", *map(words, spec.columns)], lines)


def _show_summary(suite: str, summary: "dict[str, dict[str, Estimate]]") -> None:
    """Print all measures of the suite's runs, with a column for each condition."""
    keys, every = (
        dict.fromkeys(key for found in summary.values() for key in found),
        summary.values(),
    )
    lines = [[k, *(found[k].shown(2) if k in found else "—" for found in every)] for k in keys]
    show_table(suite, ["measure", *summary], lines)
