"""`coop comprehend`: whether a model understands its letters."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import finish, say, say_json, show_spinner, show_table
from shapley_coop.cli.experimenting.sweep import AtOnce, Seeds
from shapley_coop.cli.options import BaseUrl, Json, seats_from

if TYPE_CHECKING:
    from shapley_coop.extensions.trials.comprehension import Score
    from shapley_coop.seats.seat import Seat

SHOWN_WRONG = 10
READ_BY_CODE = (
    "An embedded character reads no words: a program looked the answers up in the letters. This "
    "checks that the words say what the facts say, and is no evidence about language models."
)


def comprehend(
    model: Annotated[str, typer.Option(help="Who is asked.")] = "embedded:rational",
    base_url: BaseUrl = None,
    seeds: Seeds = "",
    max_connections: AtOnce = 16,
    as_json: Json = False,
) -> None:
    """Ask a model what its letters mean, and count what it gets right."""
    from shapley_coop.evals.sweeps.seeds import parse_seeds
    from shapley_coop.seats.models import check_seat
    from shapley_coop.seats.seat import Seat

    seat = Seat.model_validate(seats_from(model, None, base_url)["*"])
    if seat.human:
        raise ValueError("--model human: people are not asked about letters; give a model")
    check_seat(seat)
    with show_spinner("asking about letters"):
        score = finish(_score(seat, parse_seeds(seeds) if seeds else [0], max_connections))
    if as_json:
        say_json(_told(seat, score))
        return
    rows = [_row(kind, score, [kind]) for kind in score.asked]
    rows.append(_row("all", score, list(score.asked)))
    columns = ["question", "asked", "right", "share", "no answer"]
    show_table(f"{seat.model}: {score.letters} letters", columns, rows)
    for wrong in score.wrong[:SHOWN_WRONG]:
        say("{act}, {letter:.8}: {question} {answer!r}, right is {truth}".format(**wrong))
    if seat.simulated:
        say(READ_BY_CODE)


async def _score(seat: "Seat", seeds: Sequence[int], at_once: int) -> "Score":
    from shapley_coop.extensions.trials.comprehension import asked_about, letters_of

    return await asked_about(await letters_of(seeds), seat, at_once=at_once)


def _told(seat: "Seat", score: "Score") -> dict[str, Any]:
    kinds = {
        kind: {"asked": n, "right": score.right[kind], "silent": score.silent[kind]}
        for kind, n in score.asked.items()
    }
    about = {"model": seat.model, "simulated": seat.simulated, "letters": score.letters}
    return {**about, "questions": kinds, "wrong": score.wrong}


def _row(name: str, score: "Score", kinds: Sequence[str]) -> list[str]:
    asked, right = (sum(counts[k] for k in kinds) for counts in (score.asked, score.right))
    silent = sum(score.silent[kind] for kind in kinds)
    return [name, str(asked), str(right), f"{right / asked:.0%}" if asked else "—", str(silent)]
