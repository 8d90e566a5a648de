"""The command `coop import rounds`: recorded rounds, replayed by a game's own rules."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import progress, say, say_json, show_table
from shapley_coop.cli.options import Json, SetPairs, settings_from
from shapley_coop.extensions.studies.showing import say_some

File = Annotated[
    Path,
    typer.Argument(
        help="A CSV file with the columns match, round, agent, action and points, or a .jsonl file "
        "of objects with these keys: a row for each agent and round."
    ),
]


def rounds(
    file: File,
    game: Annotated[str, typer.Option("--game", "-g", help="The game: its name or its file.")],
    contract: Annotated[
        Path | None,
        typer.Option(help="A contract in force in every match; points are after its payments."),
    ] = None,
    value: Annotated[str, typer.Option(help="A norm: shapley, equal, …")] = "shapley",
    seed: Annotated[int, typer.Option(help="The seed of the game's dice.")] = 0,
    set_: SetPairs = None,
    as_json: Json = False,
) -> None:
    """Replay recorded rounds by a game's rules: differences, baseline, credit and breaches.

    Every recorded action is played, and each agent's points are compared. Baseline and credit are
    sums over the matches without differences.

    Exit code 0: all rounds agree; 1: some differ; 2: wrong usage.
    """
    from shapley_coop.extensions.studies.rounds import read_rounds
    from shapley_coop.extensions.studies.rounds_replay import Match, report
    from shapley_coop.games import load
    from shapley_coop.games.catalogue import title

    world = load(game, settings_from(set_), seed)
    given, deal = read_rounds(file, world), None
    if contract:
        from shapley_coop.extensions.signing.files import deal_in

        deal = deal_in(contract, world)
    with progress(len(given), f"matches of {file.name}") as moved:
        found = {name: Match(world, played, deal) for name, played in given.items()}
        told = report(world, found, value, moved)
    say_json(told) if as_json else _show(f"{file.name}, replayed by {title(game)}", told)
    if told["differences"]:
        raise typer.Exit(1)


def _show(title: str, told: dict[str, Any]) -> None:
    columns = ["recorded", "ours", "baseline", "credit"]
    lines = [
        [agent, *(one[key] or "—" for key in columns)] for agent, one in told["agents"].items()
    ]
    show_table(title, ["agent", *columns], lines)
    if told["credited"]:
        say(f"credit by {told['norm']}, matches: {told['credited']}; {told['baseline']}")
    if told["warning"]:
        say(f"warning: {told['warning']}")
    say_some(
        f"{_place(one)}: {one['what']}: recorded {one['recorded']}, ours {one['ours']}"
        for one in told["differences"]
    )
    say_some(f"breach of {one['clause']}: {_of(one)}{one['evidence']}" for one in told["breaches"])
    say(
        f"{told['differing']} of {told['rounds']} rounds differ, in "
        f"{told['matches'] - told['agreeing']} of {told['matches']} matches"
    )


def _place(one: dict[str, Any]) -> str:
    return f"{one['where']}: {_of(one)}round {one['round']}"


def _of(one: dict[str, Any]) -> str:
    return f"match {one['match']}, " if one["match"] else ""
