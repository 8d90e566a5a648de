"""The command `coop try MODEL`: it checks that a model can play, and forecasts a suite's cost.

One run of the whole workflow sends every kind of letter that the workflow needs. A model passes
if at least one answer of each kind was usable, since retries are part of the protocol.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from shapley_coop.cli.console import finish, say, show_spinner, show_table
from shapley_coop.cli.options import BaseUrl, PriceFile, seats_from

if TYPE_CHECKING:
    from shapley_coop.seats.records import AnswerKey, Entry

CANNOT = 1
LONGEST = 48


class Kind(NamedTuple):
    """The answers to one kind of letter, and the fault labels of those that were not usable."""

    act: str
    entries: "list[Entry]"
    labels: list[str]

    def row(self) -> list[str]:
        """Return the kind as a row of the table: usable answers, faults, tokens, last answer."""
        count, answers = len(self.entries), [entry.answer for entry in self.entries]
        return [
            self.act,
            f"{count - len(self.labels)} of {count}",
            ", ".join(dict.fromkeys(self.labels)) or "–",
            str(sum(answer.input_tokens for answer in answers)),
            str(sum(answer.output_tokens for answer in answers)),
            _cut(answers[-1].text),
        ]


class Refusals:
    """A watcher that collects a run's refused answers (`graphs.running.Watcher`)."""

    def __init__(self) -> None:
        self.found: dict[AnswerKey, str] = {}

    def __call__(self, node: str, written: dict[str, Any]) -> None:
        """Note which answers are refused in the state update that one node wrote."""
        for agent, draft in (written.get("drafts") or {}).items():
            pointer = draft.get("pointer")
            if pointer and draft.get("label"):
                self.found[agent, pointer["letter"], pointer["attempt"]] = draft["label"]


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
    columns = ["letter", "could be used", "faults", "tokens in", "tokens out", "last answer"]
    if found:
        show_table(f"{model}: one run of escape_room", columns, [kind.row() for kind in found])
    cannot = [kind.act for kind in found if len(kind.labels) == len(kind.entries)]
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


def _played(seats: dict[str, Any]) -> tuple[list[Kind], str]:
    """Play a run in a temporary home; return its counts of answers, and any seat's error."""
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
        return _kinds(entries, refused, table.get("agents", [])), failure


def _kinds(entries: "Iterable[Entry]", refused: Refusals, agents: Sequence[str]) -> list[Kind]:
    """Return the agents' answers by kind of letter, in the order in which kinds were first sent."""
    from shapley_coop.seats.records import BESIDE

    found: dict[str, Kind] = {}
    for entry in entries:
        if entry.act not in BESIDE and entry.agent in agents:
            kind = found.setdefault(entry.act, Kind(entry.act, [], []))
            kind.entries.append(entry)
            if label := refused.found.get((entry.agent, entry.letter, entry.attempt)):
                kind.labels.append(label)
    return list(found.values())


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
