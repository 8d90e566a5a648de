"""The command `coop comprehend`: it measures whether a model understands its letters."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import finish, say, say_json, show_spinner, show_table
from shapley_coop.cli.options import BaseUrl, Json, PriceFile, seat_from
from shapley_coop.extensions.sweeps.commands.sweep import AtOnce, Seeds

if TYPE_CHECKING:
    from shapley_coop.extensions.trials.comprehension.asking import Score
    from shapley_coop.seats.records import Entry
    from shapley_coop.seats.seat import Answers, Seat

SHOWN_WRONG = 10
NOT_UNDERSTOOD = 1
READ_BY_CODE = (
    "An embedded character reads no words: a program looked the answers up in the letters. This "
    "checks that the words say what the facts say, and is no evidence about language models."
)


def comprehend(
    model: Annotated[str, typer.Option(help="The model to ask.")] = "embedded:rational",
    base_url: BaseUrl = None,
    seeds: Seeds = "",
    manner: Annotated[
        list[str] | None, typer.Option(help="Answer form: text, schema or tools; by default all.")
    ] = None,
    most: Annotated[int, typer.Option(help="Most questions in each manner.")] = 500,
    at_least: Annotated[float, typer.Option(help="Share of right answers for exit code 0.")] = 0,
    prices: PriceFile = None,
    dry_run: Annotated[bool, typer.Option(help="Print a forecast; ask nothing.")] = False,
    max_connections: AtOnce = 16,
    as_json: Json = False,
) -> None:
    """Ask a model questions about its letters; count right answers. Rerun the command to go on."""
    from shapley_coop.evals.seeds import parse_seeds
    from shapley_coop.extensions.trials.comprehension import asking

    seat, manners = _seat_and_manners(model, base_url, manner or [])
    with show_spinner("playing the runs whose letters are asked about"):
        entries = finish(asking.letters_of(parse_seeds(seeds) if seeds else [0]))
    kept, missing = asking.limited(entries, most), asking.unasked(entry.act for entry in entries)
    _show_forecast(kept, seat, len(manners), prices, quiet=as_json)
    if dry_run:
        return
    scores: dict[str, Score] = {}
    for how in manners:
        asked = seat.model_copy(update={"answers": how})
        with show_spinner(f"asking about letters, answers by {how}"):
            scores[how] = finish(asking.asked_about(kept, asked, at_once=max_connections))
    if as_json:
        say_json(_told(seat, scores, missing))
    else:
        _show(seat, scores, missing)
    if missing or any(score.fails(at_least) for score in scores.values()):
        sys.exit(NOT_UNDERSTOOD)


def _seat_and_manners(
    model: str, base_url: str | None, given: Sequence[str]
) -> "tuple[Seat, list[Answers]]":
    """Return the seat that is asked, and the manners (text, schema, tools) in which it answers."""
    from shapley_coop.extensions.trials.comprehension.asking import MANNERS
    from shapley_coop.seats.models import check_seat

    seat = seat_from(model, base_url)
    if seat.human:
        raise ValueError("--model human: questions about letters are for models only: give a model")
    check_seat(seat)
    if odd := sorted({*given} - {*MANNERS}):
        raise ValueError(f"--manner {odd[0]}: give {', '.join(MANNERS)}")
    return seat, ["text"] if seat.simulated else [m for m in MANNERS if m in (given or MANNERS)]


def _show_forecast(
    entries: "Sequence[Entry]", seat: "Seat", times: int, prices: Path | None, quiet: bool
) -> None:
    """Print the number of questions, tokens and the cost; to the error output if `quiet`."""
    from shapley_coop.cli.options import prices_from
    from shapley_coop.extensions.trials.comprehension.asking import forecast, questions_about

    known = prices_from(prices)
    tokens_in, tokens_out, cost = forecast(entries, seat, known)
    about = sum(len(questions_about(entry)) for entry in entries)
    told = "unknown: give --prices FILE" if cost is None else f"{cost * times:.4f} USD"
    line = (
        f"{about * times} questions in {len(entries) * times} letters: {tokens_in * times} tokens "
        f"in, {tokens_out * times} out and a model's own reasoning; cost {told}"
    )
    typer.echo(line + ("" if cost is None else f", by the prices of {known.told}"), err=quiet)


def _show(seat: "Seat", scores: "dict[str, Score]", missing: Sequence[str]) -> None:
    """Print the right answers by letter and by kind of question, in each manner."""
    first = next(iter(scores.values()))
    acts = {name: [score.by_act[name] for score in scores.values()] for name in first.by_act}
    rows = [
        [f"letter: {name}", *(_of(n["right"], n["asked"]) for n in found)]
        for name, found in acts.items()
    ]
    for kind in first.asked:
        rows.append([kind, *(_of(s.right[kind], s.asked[kind]) for s in scores.values())])
    total = [_of(s.right.total(), s.asked.total()) for s in scores.values()]
    rows += [["all", *total], ["no answer", *(str(s.silent.total()) for s in scores.values())]]
    show_table(f"{seat.model}: {first.letters} letters", ["right answers", *scores], rows)
    for how, score in scores.items():
        for wrong in score.wrong[:SHOWN_WRONG]:
            say("{}: {act}, {letter:.8}: {question} {answer!r}, is {truth}".format(how, **wrong))
    if missing:
        say(f"no letter of: {', '.join(missing)}")
    if seat.simulated:
        say(READ_BY_CODE)


def _told(seat: "Seat", scores: "dict[str, Score]", missing: Sequence[str]) -> dict[str, Any]:
    manners = {
        how: {
            "questions": {
                kind: {"asked": n, "right": score.right[kind], "silent": score.silent[kind]}
                for kind, n in score.asked.items()
            },
            "letters": score.by_act,
            "wrong": score.wrong,
        }
        for how, score in scores.items()
    }
    letters = next(iter(scores.values())).letters
    about = {"model": seat.model, "simulated": seat.simulated, "letters": letters}
    return {**about, "unasked": list(missing), "manners": manners}


def _of(right: int, asked: int) -> str:
    return f"{right} of {asked}"
