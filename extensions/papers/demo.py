"""The command `coop demo`, which compares the paper's four conditions on one game in a table."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import complain, say, say_json, say_lines, show_table
from shapley_coop.cli.options import Json, SetPairs
from shapley_coop.extensions.papers.options import EverySeat, SeedCount
from shapley_coop.extensions.sweeps.commands.sweep import INCOMPLETE
from shapley_coop.extensions.sweeps.playing import Limits

SIMULATED = """
This is a simulation: embedded agents answered, no language model did. The gap
between the conditions follows from what each one's letters make an agent work out;
it is a declared assumption and no evidence about language models."""


def demo(
    game: Annotated[str, typer.Argument(help="A game's name or file.")] = "escape_room",
    seeds: SeedCount = 30,
    set_: SetPairs = None,
    model: EverySeat = "embedded:rational",
    as_json: Json = False,
) -> None:
    """Play one game in the paper's four conditions over many seeds, and print a table."""
    from shapley_coop.cli.options import seats_from, settings_from
    from shapley_coop.extensions.papers.conditions import ablation, summarise
    from shapley_coop.extensions.sweeps.cells import expand
    from shapley_coop.extensions.sweeps.folders import failures_in
    from shapley_coop.extensions.sweeps.running import rows_of, run_cells
    from shapley_coop.games.catalogue import is_program
    from shapley_coop.permissions import PROGRAMS, permit
    from shapley_coop.state.storage.home import home_for_now

    if is_program(game):
        permit(PROGRAMS)  # the user named it on the command line, so it may run
    params, seats = settings_from(set_), seats_from(model)
    base = {"game": game, "params": params, "seats": seats}
    goal = _goal(base)
    suite = ablation(base, range(seeds))
    cells = expand(suite)
    with TemporaryDirectory() as made, home_for_now():
        folder, what = Path(made), f"{game}, {seeds} seeds"
        limits, told = Limits(errors=0), "stopped: nothing of a demo is kept"
        if run_cells([suite], cells, folder, what=what, limits=limits, stopped=told).left:
            complain(failures_in(folder)[0]["error"])
            sys.exit(INCOMPLETE)
        rows = rows_of(folder, cells)
    simulated = all(row["result"]["simulated"] for row in rows)
    lines = summarise(rows)
    if as_json:
        say_json({"simulated": simulated, "rows": lines})
    else:
        _show(f"{game}: four conditions, {seeds} seed{'s' * (seeds != 1)} each", goal, lines)
        if simulated:
            say_lines(SIMULATED)


def _goal(base: dict[str, Any]) -> str:
    """Return the heading of the column with the share of runs that reached the game's goal."""
    from shapley_coop.state.run_config import RunConfig
    from shapley_coop.state.settings import game_of

    return game_of(RunConfig.model_validate(base).resolve().model_dump(mode="json")).goal


def _show(title: str, goal: str, lines: list[dict[str, Any]]) -> None:
    agents = [f"{agent}'s payoff" for agent in lines[0]["payoffs"]]
    columns = ["condition", goal, *agents, "from fair split", "turns", "calls", "tokens"]
    shown = [
        [line["condition"], f"{line['cooperated']:.0%}"]
        + [f"{amount:.2f}" for amount in (*line["payoffs"].values(), line["fair_distance"])]
        + [f"{line['turns']:.1f}", f"{line['calls']:.1f}", f"{line['tokens']:.0f}"]
        for line in lines
    ]
    show_table(title, columns, shown)
    say("Payoffs and counts are means over seeds. 'From fair split': the mean distance between an")
    say("agent's payoff and its Shapley value of the best outcome seen, in the game's unit. (The")
    say("shapley_distance of reports is to the value of what the run itself did.)")
