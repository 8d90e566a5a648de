"""The command `coop import negotiation-arena`: it replays a study of trading models."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import note, say, say_json, show_table, write_file
from shapley_coop.cli.options import Json
from shapley_coop.extensions.studies.shared import Folder, say_some

if TYPE_CHECKING:
    from shapley_coop.extensions.studies.negotiation_arena import Replayed

Out = Annotated[
    Path | None,
    typer.Option("-o", "--out", help="The JSON file to write, with the replay of each game."),
]
MOST_SHOWN = 10


def negotiation_arena(folder: Folder, out: Out = None, as_json: Json = False) -> None:
    """Replay NegotiationArena's games: would our checks have protected these agents?

    Every proposal and every acceptance goes through the checks of a run. The checks should stop a
    deal that leaves an agent worse off, or in which an agent gives something that it does not have.
    They should let all other deals through. Outcomes are compared with the study's record.

    Exit code 0: all bad deals are stopped, all others are let through, and all outcomes agree with
    the record; 1: otherwise; 2: wrong usage.
    """
    import json

    from shapley_coop.extensions.studies import negotiation_arena as arena

    found, unreadable = arena.replay_study(folder)
    if not found:
        raise ValueError(f"{folder}: no game could be read: {unreadable[0]}")
    say_some(arena.left_out(unreadable), MOST_SHOWN, "more reasons: --json lists all records", note)
    answers = list(arena.protection(found))
    if out:
        games = [one.report() for one in found]
        write_file(out, json.dumps(games, ensure_ascii=False, indent=1) + "\n")
    if as_json:
        say_json(
            {
                "kinds": answers,
                "exceptions": [one.report() for one in found if one.exceptional],
                "left_out": [{"where": one.where, "why": one.why} for one in unreadable],
                "remarks": arena.remarks(found),
            }
        )
    else:
        _show(found, answers)
        for line in arena.remarks(found):
            say(line)
    if not all(one["protected"] for one in answers):
        raise typer.Exit(1)


def _show(found: "list[Replayed]", answers: list[dict[str, Any]]) -> None:
    """Print the counts of each kind of game, the exceptions, and the answer to the question."""
    lines = [
        [
            *(str(one[key]) for key in ("kind", "games", "deals")),
            f"{one['bad_stopped']} of {one['bad']}",
            f"{one['good_let_through']} of {one['good']}",
            f"{one['offers_asked_back']} of {one['offers']}",
            str(one["differing"]),
        ]
        for one in answers
    ]
    columns = ["kind", "games", "deals", "bad stopped", "good let through", "offers asked back"]
    show_table("would our checks have protected these agents?", [*columns, "differ"], lines)
    say_some((_line(one) for one in found if one.exceptional), MOST_SHOWN)
    wrong = sum(one.misjudged for one in found)
    differing = sum(bool(one.differs) for one in found)
    say(
        f"No: {wrong} deals are stopped that are not bad, or bad and not stopped: see above."
        if wrong
        else "Yes: every bad deal is stopped, and no other."
    )
    say(f"{differing} of {len(found)} games end otherwise than the study recorded")


def _line(one: "Replayed") -> str:
    """Return in a line why a game is an exception, and the answers that our checks refuse."""
    said = one.differs or one.loss or "nobody loses, and it is stopped"
    back = "; ".join(f"{x.player} {x.act}: {x.why}" for x in one.refused)
    return f"{one.record.where}: {said}{f' ({back})' if back else ''}"
