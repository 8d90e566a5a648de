"""`coop runs`, `rm` and `prune`: find runs, and remove runs that are no longer needed."""

from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import finish, note, say, say_json, show_table
from shapley_coop.cli.options import Json, complete_graphs, complete_runs

if TYPE_CHECKING:
    from shapley_coop.state.storage.register import Run

MOST = 20
COLUMNS = ("run", "game", "graph", "seed", "outcome", "age")

GameName = Annotated[str, typer.Option(help="Only runs of games whose name contains this text.")]
GraphName = Annotated[
    str,
    typer.Option(
        "--graph", "-g", help="Only runs of this workflow.", autocompletion=complete_graphs
    ),
]
Outcome = Annotated[
    str,
    typer.Option(
        help="Only runs with this outcome or state: agreed, no_deal, no_play, unreadable, error "
        "or budget; started, waiting or failed."
    ),
]
Sweeps = Annotated[
    bool, typer.Option("--sweeps", help="Include the runs of sweeps (left out by default).")
]
SeedOf = Annotated[int | None, typer.Option(help="Only runs with this seed.", min=0)]


def runs(
    game: GameName = "",
    graph: GraphName = "",
    seed: SeedOf = None,
    outcome: Outcome = "",
    limit: Annotated[
        int | None,
        typer.Option(
            help=f"List the newest N runs; 0 lists all. By default {MOST}, or all as JSON.", min=0
        ),
    ] = None,
    sweeps: Sweeps = False,
    as_json: Json = False,
) -> None:
    """List the runs of this home, newest first, without the runs of sweeps.

    The list includes the runs of LangGraph's server under the names of their threads.
    """
    from shapley_coop.graphs.finding import every_run
    from shapley_coop.state.listing import RunFilter, list_line
    from shapley_coop.state.storage.home import home

    if not sweeps and home().has_books() and (left_out := len(home().runs.cells())):
        note(f"{left_out} cells of sweeps are left out: coop runs --sweeps")
    wanted = RunFilter(game, graph, seed, _check_words(outcome))
    found = list(wanted(finish(every_run(cells=sweeps))))
    if as_json:
        say_json([list_line(run) for run in (found[:limit] if limit else found)])
        return
    if not found:
        filtered = any((game, graph, seed is not None, outcome))
        say("no run is like that" if filtered else "no runs yet: coop run escape_room")
        return
    shown = found if limit == 0 else found[: limit or MOST]
    _show(shown)
    if more := len(found) - len(shown):
        note(f"{more} older: coop runs --limit 0, or filter by --game, --graph, --seed, --outcome")


def _show(found: "list[Run]") -> None:
    """Print a table of runs with full names and, below, why runs wait or have failed."""
    from shapley_coop.state.listing import age, list_line

    lines = [list_line(run) | {"age": age(run.created)} for run in found]
    whole = [[str(line[name]) for name in COLUMNS] for line in lines]
    show_table("runs", list(COLUMNS), whole, whole="run")
    for line in lines:
        if why := line.get("why"):
            say(f"{line['run']}: {why}")


def rm(
    names: Annotated[
        list[str], typer.Argument(help="Names of runs.", autocompletion=complete_runs)
    ],
) -> None:
    """Remove runs with their letters and checkpoints; their payments stay in the ledger."""
    from shapley_coop.graphs.threads import remove
    from shapley_coop.state.storage.home import home

    found = [home().run(name) for name in dict.fromkeys(names)]
    for run in found:
        finish(remove(run))
        say(f"removed {run.run}")


def prune(
    older: Annotated[
        float, typer.Option(help="Only runs that began at least this many days ago.", min=0)
    ] = 0,
    game: GameName = "",
    graph: GraphName = "",
    seed: SeedOf = None,
    outcome: Outcome = "",
    sweeps: Sweeps = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Remove the runs instead of listing them.")
    ] = False,
) -> None:
    """Remove all runs that fit the filters; without --yes, only list them."""
    from shapley_coop.graphs.threads import remove
    from shapley_coop.state.listing import RunFilter
    from shapley_coop.state.storage.home import home

    if not any((older, game, graph, seed is not None, outcome)):
        raise ValueError("name the runs to remove: --older, --game, --graph, --seed or --outcome")
    wanted = RunFilter(game, graph, seed, _check_words(outcome), older)
    found = list(wanted(home().list_runs(cells=sweeps)))
    for run in found:
        if yes:
            finish(remove(run))
        say(f"{'removed' if yes else 'would remove'} {run.run}")
    if not yes:
        note(f"{len(found)} runs; --yes removes them")
    elif found:
        note(f"the home is {home().compact() / 1e6:.1f} MB smaller")


def _check_words(outcome: str) -> str:
    from typing import get_args

    from shapley_coop.state.storage.register import STATES
    from shapley_coop.state.table import Status

    known = [*(status for status in get_args(Status) if status != "open"), *STATES]
    if outcome and outcome not in known:
        raise ValueError(f"--outcome {outcome}: choose from {', '.join(known)}")
    return outcome
