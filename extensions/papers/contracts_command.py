"""The command `coop contract table`, which prints the effects of contracts in two dilemmas."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import note, say, say_json, show_table
from shapley_coop.cli.options import Json
from shapley_coop.extensions.sweeps.commands.sweep import (
    INCOMPLETE,
    rows_of,
    run_cells,
    sweep_folder,
)

if TYPE_CHECKING:
    from shapley_coop.extensions.papers.contracts import GameTable


def table(
    seeds: Annotated[
        int, typer.Option(help="The number of seeds; the first is 0.", min=1, max=1000)
    ] = 30,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The folder for the rows of the runs.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print welfare and adherence in two dilemmas, by characters and by enforcement of contracts.

    Thirty seeds are about 3,000 runs of a third of a second each, and all are kept. The same
    command resumes an interrupted sweep; `coop report` makes a page of its folder.
    """
    from shapley_coop.extensions.papers.contracts import SUITE, game_tables, planned
    from shapley_coop.extensions.reports.stats import LEVEL

    suite, cells = planned(range(seeds))
    folder = out or sweep_folder(SUITE)
    tally = run_cells([suite], cells, folder, what=f"{len(cells)} runs")
    if tally.left:
        note(f"{tally.left} runs are left: coop status {folder} says why; the same command goes on")
        sys.exit(INCOMPLETE)
    tables = game_tables(rows_of(folder, cells))
    if as_json:
        parts = [part.record() for part in tables]
        say_json({"seeds": seeds, "level": LEVEL, "simulated": True, "tables": parts})
        return
    for part in tables:
        _show(part)
    say(
        f"In brackets: {LEVEL:.0%} intervals over n runs, a seed each. n=1: nothing is drawn there,"
    )
    say("so that every seed gives the same run.")
    say("A simulation: embedded agents answered, and what they do was written down beforehand.")


def _show(part: "GameTable") -> None:
    """Print one game's table and its claims."""
    from shapley_coop.extensions.papers.contracts import MEASURES

    lines, before = [], ""
    for (agents, contract), measures in part.lines.items():
        shown = [measures[c].shown(2) if c in measures else "—" for c in MEASURES]
        lines.append([agents if agents != before else "", contract, *shown])
        before = agents
    _, *others = MEASURES
    show_table(part.game, ["agents", "contract", f"welfare of {part.best:g}", *others], lines)
    if part.weak:
        named = ", ".join(f"({', '.join(play)})" for play in part.weak)
        say(f"Weak equilibria of a turn without any contract: {named}.")
    for claim, holds in part.shows.items():
        say(claim if holds else f"NOT SHOWN: {claim}")
    say()
