"""The command `coop try MODEL`: it checks that a model can play, and forecasts a suite's cost."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop.cli.console import finish, say, show_spinner, show_table
from shapley_coop.cli.options import BaseUrl, PriceFile, seats_from

if TYPE_CHECKING:
    from shapley_coop.extensions.trials.playable import Kind

CANNOT = 1
LONGEST = 48


def try_model(
    model: Annotated[str, typer.Argument(help="The model at every seat.")],
    base_url: BaseUrl = None,
    suite: Annotated[
        str, typer.Option(help="The suite whose cost is forecast; empty for none.")
    ] = "escape_room",
    prices: PriceFile = None,
) -> None:
    """Play one run with a model at every seat; report its usable answers and a suite's cost."""
    seats = seats_from(model, None, base_url)
    with show_spinner(f"{model} plays one run of escape_room"):
        found, failure = _played(seats)
    lines = [
        [
            k.act,
            f"{k.usable} of {k.letters}",
            ", ".join(dict.fromkeys(k.labels)) or "–",
            str(k.input_tokens),
            str(k.output_tokens),
            _cut(k.example),
        ]
        for k in found
    ]
    columns = ["letter", "could be used", "faults", "tokens in", "tokens out", "last answer"]
    if lines:
        show_table(f"{model}: one run of escape_room", columns, lines)
    cannot = [kind.act for kind in found if not kind.can]
    if failure:
        say(f"FAIL  {failure}")
    elif cannot:
        say(f"FAIL  {model} cannot play: no answer to {', '.join(cannot)} could be used")
    else:
        say(f"ok    {model} can play: an answer of every kind could be used")
    if not failure and suite:
        _cost(suite, seats, prices)
    if failure or cannot:
        sys.exit(CANNOT)


def _played(seats: dict[str, Any]) -> "tuple[list[Kind], str]":
    """Play a run in a temporary home; return its counts of answers, and any seat's error."""
    from shapley_coop.extensions.trials.playable import Refusals, kinds
    from shapley_coop.graphs.preparing import prepare
    from shapley_coop.graphs.running import follow
    from shapley_coop.graphs.threads import table_of
    from shapley_coop.seats.seat import SeatError
    from shapley_coop.state.storage.home import home, home_for_now

    refused, failure = Refusals(), ""
    with home_for_now():
        run = prepare("shapley_coop", {"game": "escape_room", "seats": seats}, "doctor")
        try:
            finish(follow(run, refused))
        except SeatError as error:
            failure = str(error)
        table = finish(table_of(run))
        entries = list(home().journal.entries(table["episode"])) if table else []
        return kinds(entries, refused, table.get("agents", [])), failure


def _cost(suite: str, seats: dict[str, Any], prices: Path | None) -> None:
    """Print a suite's cost forecast, with this model at every seat that the suite leaves open."""
    from shapley_coop.cli.options import prices_from
    from shapley_coop.extensions.sweeps.cells import expand
    from shapley_coop.extensions.sweeps.commands.forecast import show_forecast
    from shapley_coop.extensions.sweeps.commands.sweep import sweep_folder
    from shapley_coop.extensions.sweeps.suite import load_suite

    known = load_suite(suite)
    base = {**known.base, "seats": {**known.base.get("seats", {}), **seats}}
    cells = expand(known.model_copy(update={"base": base}))
    say(f"{suite} with {seats['*']['model']}:")
    show_forecast(cells, sweep_folder(known.name), prices_from(prices))


def _cut(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…"
