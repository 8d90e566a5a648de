"""`coop scenario`: scenarios of task exchange."""

import sys
from typing import Annotated

import typer

from shapley_coop.cli.console import complain, note, say, say_json, say_lines
from shapley_coop.cli.experimenting.sweep import INCOMPLETE, rows_of, run_cells, sweep_folder
from shapley_coop.cli.options import BaseUrl, EverySeat, Json, Scenario, SeedCount, seat_from

SIMULATED = """\
A simulation: the negotiators and the utilities the paper does not print were made for
it, while this table was in view; it is no evidence about language models."""


def show(
    scenario: Scenario,
    secrets: Annotated[bool, typer.Option(help="Show preferences and utilities, too.")] = False,
    as_json: Json = False,
) -> None:
    """Show a scenario's atoms, agents, initial tasks and registry."""
    from shapley_coop.games.exchange import scenario as find

    shown = find(scenario).show(secrets)
    if as_json:
        say_json(shown)
        return
    say(f"{shown['name']}: {', '.join(shown['agents'])}")
    for number, atom in enumerate(shown["atoms"], start=1):
        say(f"  {number}. {atom}")
    for agent, mask in shown["initial"].items():
        say(f"  {agent} starts with {mask}")
    say(f"  {len(shown['registry'])} sets of tasks have a description")
    for agent, table in shown.get("utilities", {}).items():
        best = sorted(table, key=lambda mask: (-table[mask], mask))[:5]
        say(f"  {agent} likes best: {', '.join(f'{m} ({table[m]:.2f})' for m in best)}")


def table(
    scenario: Annotated[
        list[str] | None, typer.Argument(help="Scenarios; the paper's two by default.")
    ] = None,
    seeds: SeedCount = 30,
    model: EverySeat = "embedded:rational",
    base_url: BaseUrl = None,
) -> None:
    """Outcomes, and refusals by label, with and without validator and guidance.

    The layouts are those of the paper's Tables 1 and 2. The two parts are switched separately:
    four variants, two of which are the paper's. The same command resumes it where it stopped.
    """
    from shapley_coop.evals.papers import exchange_tables as paper
    from shapley_coop.evals.sweeps.suite import expand

    seats = {"*": seat_from(model, base_url).model_dump(mode="json", exclude_defaults=True)}
    suite = paper.exchange_suite(scenario or [], seats, range(seeds))
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
