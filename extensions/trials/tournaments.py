"""The command `coop tournament`: it plays, ranks and verifies a tournament of seats."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import note, say, say_json, show_table, write_file
from shapley_coop.cli.options import Json
from shapley_coop.extensions.sweeps.commands.sweep import (
    INCOMPLETE,
    AtOnce,
    Failures,
    Out,
    Seeds,
    sweep_folder,
)
from shapley_coop.extensions.sweeps.playing import Limits, Tally
from shapley_coop.extras import is_installed, missing_library

if TYPE_CHECKING:
    from shapley_coop.extensions.trials.tournament.entry import Tournament
    from shapley_coop.extensions.trials.tournament.ranking import Rank

VERIFY = "verify"
PAGE = "leaderboard.html"
WRONG = 1


def tournament(
    file: Annotated[
        str,
        typer.Argument(
            help="A tournament by name or file; or 'verify', to check the rows and ranking in a "
            "folder."
        ),
    ],
    folder: Annotated[
        Path | None, typer.Argument(help="For 'verify': the tournament's folder.", metavar="[DIR]")
    ] = None,
    out: Out = None,
    seeds: Seeds = "",
    max_connections: AtOnce = 16,
    shard: Annotated[str, typer.Option(help="i/n: play one of n disjoint parts.")] = "",
    fail_on_error: Failures = 1.0,
    as_json: Json = False,
) -> None:
    """Play every seat against every seat in each game and role. Run the command again to go on.

    Parts (--shard) may be played at the same time into one folder; the last one writes the page.
    Exit code 0: all played, or the folder is right; 1: matches failed or are left, or the folder
    is wrong; 2: wrong usage, or something cannot be read.
    """
    if not is_installed("scipy"):
        raise missing_library("a tournament's ranking", "scipy", "trials")
    if file == VERIFY:
        _verify(folder, out, as_json)
        return
    if folder is not None:
        raise ValueError(f"coop tournament {file}: give -o {folder}, which keeps its rows")
    from shapley_coop.extensions.sweeps.folders import shard_from
    from shapley_coop.extensions.trials.tournament.entry import Tournament, load_tournament

    limits = Limits(at_once=max_connections, errors=fail_on_error)
    entered = load_tournament(file)
    if seeds:
        entered = Tournament.model_validate({**entered.model_dump(), "seeds": seeds})
    _play(entered, out, limits, shard_from(shard) if shard else None, as_json)


def _verify(folder: Path | None, out: Path | None, as_json: bool) -> None:
    from shapley_coop.extensions.trials.tournament import kept

    if folder is None or out:
        raise ValueError("coop tournament verify: give the tournament's folder without -o")
    ranking, wrong = kept.verify(folder)
    if as_json:
        say_json({"sound": not wrong, "wrong": wrong, "ranking": kept.as_json(ranking)})
    elif not wrong:
        _show(ranking)
        say(f"{folder}: every row follows from its match, and the ranking from the rows")
    for line in () if as_json else wrong:
        say(f"FAIL  {line}")
    if wrong:
        sys.exit(WRONG)


def _play(
    entered: "Tournament",
    out: Path | None,
    limits: Limits,
    part: tuple[int, int] | None,
    as_json: bool,
) -> None:
    from shapley_coop.extensions.sweeps.cells import expand
    from shapley_coop.extensions.sweeps.checks import check_cells
    from shapley_coop.extensions.sweeps.folders import left_in
    from shapley_coop.extensions.sweeps.folders import shard as shard_of
    from shapley_coop.extensions.sweeps.running import run_cells
    from shapley_coop.extensions.trials.tournament.entry import suites
    from shapley_coop.extensions.trials.tournament.kept import enter
    from shapley_coop.seats.keys import keys_bound

    chosen = suites(entered)
    cells = [cell for suite in chosen for cell in expand(suite)]
    place = out or sweep_folder(entered.name)
    own = shard_of(cells, *part) if part else cells
    with keys_bound():  # a tournament's file may be a stranger's and name any endpoint
        check_cells(own)
        enter(place, entered)
        what = f"{len(own)} matches"
        tally = run_cells(chosen, own, place, what=what, limits=limits)
    if tally.left:
        _tell_left(place, tally)
        sys.exit(INCOMPLETE)
    if part and (left := left_in(place, cells)):
        note(f"{place}: this part is played; {len(left)} matches of other parts are left")
        return
    _publish(place, as_json)
    if not as_json:
        say(f"{place / PAGE}: {tally.done} matches played, {tally.before} there before")


def _publish(place: Path, as_json: bool) -> None:
    """Rank the seats, keep and print the ranking, and write the page."""
    from shapley_coop.extensions.reports.run_pages import RunPages
    from shapley_coop.extensions.trials.tournament import kept
    from shapley_coop.extensions.trials.tournament.page import leaderboard

    played = kept.played_in(place)
    ranking = played.ranking()
    kept.keep_ranking(place, played, ranking)
    write_file(place / PAGE, leaderboard(played, ranking, RunPages(place / PAGE)))
    if as_json:
        say_json(kept.as_json(ranking))
    else:
        _show(ranking)


def _tell_left(place: Path, tally: Tally) -> None:
    """Print the numbers of matches that failed and that were not begun."""
    if tally.failed:
        again = "the same command tries them again"
        note(
            f"{tally.failed} of {tally.cells} matches failed: coop status {place} says why; {again}"
        )
    if unbegun := tally.left - tally.failed:
        note(f"{unbegun} matches were not begun: {tally.stopped}; the same command goes on")


def _show(ranking: "list[Rank]") -> None:
    """Print the ranking."""
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
