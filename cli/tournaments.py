"""`coop tournament`: every seat against every seat, a ranking, and its check."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import note, say, say_json, show_table, write_file
from shapley_coop.cli.experimenting import (
    INCOMPLETE,
    AtOnce,
    Failures,
    Out,
    Seeds,
    run_cells,
    sweep_folder,
)
from shapley_coop.cli.options import Json

if TYPE_CHECKING:
    from shapley_coop.evals.sweeps.sweep import Limits
    from shapley_coop.evals.tournament.entry import Tournament
    from shapley_coop.evals.tournament.ranking import Rank

VERIFY = "verify"
PAGE = "leaderboard.html"


def tournament(
    file: Annotated[
        str,
        typer.Argument(
            help="A tournament by name or file; 'verify' computes a folder's ranking again."
        ),
    ],
    folder: Annotated[
        Path | None, typer.Argument(help="Of 'verify': the tournament's folder.", metavar="[DIR]")
    ] = None,
    out: Out = None,
    seeds: Seeds = "",
    max_connections: AtOnce = 16,
    shard: Annotated[
        str, typer.Option(help="i/n: one of n disjoint parts, in a home of its own.")
    ] = "",
    fail_on_error: Failures = 0.05,
    as_json: Json = False,
) -> None:
    """Play every seat against every seat in each game and both roles. Run it again to go on.

    Parts (--shard) may be played at the same time into one folder; the last one writes the page.
    """
    from shapley_coop.evals.tournament.results import check_ranking

    if file == VERIFY:
        if folder is None or out:
            raise ValueError("coop tournament verify: give the tournament's folder, and no -o")
        _show(check_ranking(folder), as_json)
        if not as_json:
            say(f"{folder}: the rows come to this ranking")
        return
    if folder is not None:
        raise ValueError(f"coop tournament {file}: give -o {folder} for where its rows are kept")
    from shapley_coop.evals.sweeps.shards import shard_from
    from shapley_coop.evals.sweeps.suite import parse_seeds
    from shapley_coop.evals.sweeps.sweep import Limits
    from shapley_coop.evals.tournament.entry import load_tournament

    limits = Limits(at_once=max_connections, errors=fail_on_error)
    entered = load_tournament(file)
    if seeds:
        entered = entered.model_copy(update={"seeds": parse_seeds(seeds)})
    _play(entered, out, limits, shard_from(shard, os.environ), as_json)


def _play(
    entered: "Tournament",
    out: Path | None,
    limits: "Limits",
    part: tuple[int, int] | None,
    as_json: bool,
) -> None:
    from shapley_coop.evals.sweeps.index import cells_in
    from shapley_coop.evals.sweeps.shards import live_in_home_of
    from shapley_coop.evals.sweeps.shards import shard as shard_of
    from shapley_coop.evals.sweeps.suite import expand
    from shapley_coop.evals.tournament.entry import suites
    from shapley_coop.evals.tournament.page import leaderboard
    from shapley_coop.evals.tournament.results import enter, keep_ranking, played_in
    from shapley_coop.seats.keys import keys_bound

    chosen = suites(entered)
    cells = [cell for suite in chosen for cell in expand(suite)]
    place = out or sweep_folder(entered.name)
    enter(place, entered)
    own = shard_of(cells, *part) if part else cells
    if part:
        live_in_home_of(*part)
    with keys_bound():  # a tournament is a file, which may be somebody else's
        what = f"{len(own)} matches"
        tally = run_cells(chosen, own, place, what=what, limits=limits, part=part)
    if tally.left:
        note(f"{tally.left} matches are left: coop status {place}; the same command goes on")
        sys.exit(INCOMPLETE)
    if part and (left := {cell.id for cell in cells} - cells_in(place)):
        note(f"{place}: this part is played; {len(left)} matches of other parts are left")
        return
    played = played_in(place)
    ranking = played.ranking()
    keep_ranking(place, ranking)
    write_file(place / PAGE, leaderboard(played, ranking))
    _show(ranking, as_json)
    if not as_json:
        say(f"{place / PAGE}: {tally.done} matches played, {tally.before} there before")


def _show(ranking: "list[Rank]", as_json: bool) -> None:
    """Print the ranking."""
    from shapley_coop.evals.tournament.results import as_json as plain

    if as_json:
        say_json(plain(ranking))
        return
    lines = [
        [
            *(str(place), one.seat, one.strength.shown(2), f"{one.won:.1%}", str(one.compared)),
            f"{one.population:.1%}",
        ]
        for place, one in enumerate(ranking, start=1)
    ]
    columns = ["place", "seat", "strength (n seeds)", "comparisons won", "comparisons"]
    columns.append("share of a population")
    show_table("Ranking, corrected for roles", columns, lines)
