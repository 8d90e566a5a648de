"""The command `coop import negotiation-arena`: it replays a study of trading models."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import note, say, say_json, show_table, write_file
from shapley_coop.cli.options import Json

if TYPE_CHECKING:
    from shapley_coop.extensions.studies.negotiation_arena import Replayed
    from shapley_coop.extensions.studies.negotiation_arena_protection import Protection

Folder = Annotated[
    Path, typer.Argument(help="A folder of the study's records, searched with all its subfolders.")
]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        help="The JSON file to write, with the replay of each game.",
    ),
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

    from shapley_coop.extensions.studies.negotiation_arena import replay_study
    from shapley_coop.extensions.studies.negotiation_arena_protection import (
        left_out,
        protection,
        remarks,
    )

    found, unreadable = replay_study(folder)
    if not found:
        raise ValueError(f"{folder}: no game could be read: {unreadable[0]}")
    _note_some(left_out(unreadable))
    answers = list(protection(found))
    if out:
        games = [one.report() for one in found]
        write_file(out, json.dumps(games, ensure_ascii=False, indent=1) + "\n")
    if as_json:
        lacking = [{"where": one.where, "why": one.why} for one in unreadable]
        say_json(
            {
                "kinds": [one.record() for one in answers],
                "exceptions": [one.report() for one in found if _exceptional(one)],
                "left_out": lacking,
                "remarks": remarks(found),
            }
        )
    else:
        _show(found, answers)
        for line in remarks(found):
            say(line)
    if not all(one.whole for one in answers):
        raise typer.Exit(1)


def _note_some(reasons: Sequence[str]) -> None:
    for line in reasons[:MOST_SHOWN]:
        note(line)
    if len(reasons) > MOST_SHOWN:
        note(f"and {len(reasons) - MOST_SHOWN} more reasons: --json lists all records")


def _show(found: "Sequence[Replayed]", answers: "Sequence[Protection]") -> None:
    lines = [
        [
            one.kind,
            str(one.games),
            str(one.deals),
            f"{one.bad_stopped} of {one.bad}",
            f"{one.good_let_through} of {one.good}",
            f"{one.offers_asked_back} of {one.offers}",
            str(one.differing),
        ]
        for one in answers
    ]
    columns = ["kind", "games", "deals", "bad stopped", "good let through", "offers asked back"]
    show_table("would our checks have protected these agents?", [*columns, "differ"], lines)
    exceptional = [one for one in found if _exceptional(one)]
    for one in exceptional[:MOST_SHOWN]:
        said = one.differs or one.loss or "nobody loses, and it is stopped"
        back = "; ".join(f"{x.player} {x.act}: {x.why}" for x in one.refused)
        say(f"{one.record.where}: {said}{f' ({back})' if back else ''}")
    if len(exceptional) > MOST_SHOWN:
        say(f"and {len(exceptional) - MOST_SHOWN} more: --json lists all")
    wrong = sum(one.deal and one.bad != one.stopped for one in found)
    differing = sum(one.differing for one in answers)
    say(
        f"No: {wrong} deals are stopped that are not bad, or bad and not stopped: see above."
        if wrong
        else "Yes: every bad deal is stopped, and no other."
    )
    say(f"{differing} of {len(found)} games end otherwise than the study recorded")


def _exceptional(one: "Replayed") -> bool:
    """Return whether a deal is judged wrongly, or the outcome differs from the record."""
    return (one.deal and one.bad != one.stopped) or bool(one.differs)
