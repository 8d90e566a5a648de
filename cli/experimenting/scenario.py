"""`coop scenario`: scenarios of task exchange."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import (
    complain,
    finish,
    note,
    progress,
    say,
    say_json,
    say_lines,
    write_file,
)
from shapley_coop.cli.experimenting.sweep import INCOMPLETE, rows_of, run_cells, sweep_folder
from shapley_coop.cli.options import BaseUrl, EverySeat, Json, Scenario, SeedCount, seats_from
from shapley_coop.invalid import first_error

if TYPE_CHECKING:
    from shapley_coop.seats import Seat

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

    seats = {"*": _seat(model, base_url).model_dump(mode="json", exclude_defaults=True)}
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


def write(
    preferences: Annotated[Path, typer.Argument(help="Tasks, and preferences in words.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The scenario file, YAML or JSON.")],
    model: Annotated[
        str, typer.Option(help="The model that writes: provider:name, with settings after commas.")
    ] = "embedded:impartial",
    base_url: BaseUrl = None,
    tries: Annotated[int, typer.Option(help="Attempts for each letter.", min=1, max=10)] = 3,
    seed: Annotated[int, typer.Option(help="A new seed asks for everything again.", min=0)] = 0,
) -> None:
    """Have a model write descriptions and utilities from preferences in words.

    Every answer is checked, and sent back with its fault if it has one. The same command resumes
    where it stopped. docs/scenarios.md describes both files.
    """
    from shapley_coop.evals.scenario_authoring import NotWritten
    from shapley_coop.evals.scenario_authoring import write as commissioned
    from shapley_coop.games.exchange.authoring import read_commission
    from shapley_coop.games.exchange.source import FILE_ENDINGS
    from shapley_coop.seats import SeatError

    if out.suffix not in FILE_ENDINGS or not out.parent.is_dir():
        raise ValueError(f"--out {out}: give a {', '.join(FILE_ENDINGS)} file in a folder there is")
    commission, seat = read_commission(preferences), _seat(model, base_url)
    sheets = len(commission.descriptions) + len(commission.scores)
    with progress(sheets, f"{sheets} sheets") as moved:
        try:
            work = finish(
                commissioned(commission, seat, out.parent, seed=seed, tries=tries, progress=moved)
            )
        except (NotWritten, SeatError) as error:
            complain(f"nothing was written: {error}")
            sys.exit(INCOMPLETE)
    write_file(out, _as_text(work.content, out.suffix))
    sent_back = f"{work.letters} letters, {work.refused} answers sent back"
    note(f"{sent_back}; {work.calls} asked now, {work.tokens} tokens")
    if seat.simulated:
        note("A simulation: no language model wrote it.")
    say(str(out))


def _as_text(content: dict[str, Any], ending: str) -> str:
    import json

    import yaml

    if ending == ".json":
        return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)


def _seat(model: str, base_url: str | None) -> "Seat":
    from pydantic import ValidationError

    from shapley_coop.seats import Seat

    try:
        return Seat.model_validate(seats_from(model, None, base_url)["*"])
    except ValidationError as error:
        raise ValueError(f"--model {model}: {first_error(error)}") from None
