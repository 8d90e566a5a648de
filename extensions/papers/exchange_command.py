"""The command `coop scenario table`: the exchange's variants in the layouts of its paper."""

import sys
from typing import Annotated

import typer

from shapley_coop.cli.console import complain, note, say, say_lines
from shapley_coop.cli.options import BaseUrl, seat_from
from shapley_coop.extensions.papers.options import EverySeat, SeedCount
from shapley_coop.extensions.sweeps.commands.sweep import (
    INCOMPLETE,
    rows_of,
    run_cells,
    sweep_folder,
)
from shapley_coop.state.presets import PresetName

SIMULATED = """\
A simulation: the negotiators and the utilities the paper does not print were made for
it, while this table was in view; it is no evidence about language models."""


def table(
    scenario: Annotated[
        list[str] | None, typer.Argument(help="The scenarios; by default the paper's two.")
    ] = None,
    seeds: SeedCount = 30,
    model: EverySeat = "embedded:rational",
    base_url: BaseUrl = None,
    preset: Annotated[
        PresetName,
        typer.Option(help="task_exchange_paper refuses what the paper's validator refuses."),
    ] = "none",
) -> None:
    """Print outcomes, and refusals by label, with and without validator and guidance.

    The layouts are those of the paper's Tables 1 and 2. Validator and guidance are switched
    separately; two of the four variants are the paper's. The same command resumes the sweep.
    """
    from shapley_coop.extensions.papers import exchange_tables as paper
    from shapley_coop.extensions.sweeps.cells import expand

    seat = seat_from(model, base_url)
    if preset == "task_exchange_paper":  # answers by a schema would have no faults of form
        seat = seat.model_copy(update={"answers": "text"})
    seats = {"*": seat.model_dump(mode="json", exclude_defaults=True)}
    suite = paper.exchange_suite(scenario or [], seats, range(seeds), preset)
    cells, folder = expand(suite), sweep_folder(paper.played_as(suite))
    tally = run_cells([suite], cells, folder, what=f"{len(cells)} exchanges")
    rows = rows_of(folder, cells)
    note(f"{folder} keeps the runs: coop report {folder}")
    if rows:
        say_lines(f"{paper.table_1(rows, suite)}\n\n{paper.table_2(rows, suite)}\n")
        for spec in suite.tables:
            say(f"Printed: {spec.source}")
    if model.startswith("embedded:"):
        say_lines(SIMULATED)
    if tally.left:
        why = f"coop status {folder} says why; the same command goes on"
        complain(f"{tally.left} runs failed: {why}")
        sys.exit(INCOMPLETE)
