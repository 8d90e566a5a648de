"""Options that several commands have, and what they say: parameters, seats, limits, words."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shapley_coop import extension
from shapley_coop.currencies import decimals_of
from shapley_coop.files import read_mapping, read_text, yaml_of
from shapley_coop.permissions import NO_SANDBOX, PROGRAMS, Permission, permit, permit_program

if TYPE_CHECKING:
    from shapley_coop.seats.seat import Seat


class Keep(StrEnum):
    """Whose letters and checkpoints a sweep keeps: see `evals.sweeps.local`."""

    ALL = "all"
    FAILURES = "failures"
    NONE = "none"


Scenario = Annotated[
    str, typer.Argument(help="paper_cooperative, paper_competitive, or a scenario file.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def complete_runs(incomplete: str) -> list[str]:
    """Return the names of this home's runs that begin like this, for a shell."""
    from shapley_coop.state.storage.home import home

    return [run.run for run in home().runs.list() if run.run.startswith(incomplete)]


def complete_games(incomplete: str) -> list[str]:
    """The games that begin like this, for a shell; files are completed by the shell itself."""
    from shapley_coop.games import names

    return [name for name in names() if name.startswith(incomplete)]


def complete_graphs(incomplete: str) -> list[str]:
    """Return the workflows that begin like this, for a shell."""
    from shapley_coop.graphs import names

    return [name for name in names() if name.startswith(incomplete)]


def complete_models(incomplete: str) -> list[str]:
    """Embedded characters, and the kinds of seats, that begin like this, for a shell."""
    from shapley_coop.seats.embedded import CHARACTERS

    found = [f"embedded:{name}" for name in CHARACTERS]
    kinds = ["human", "openai:", "python:", "recording:"]
    return [name for name in [*found, *kinds] if name.startswith(incomplete)]


RunName = Annotated[
    str,
    typer.Argument(help="The run's name; coop runs lists them.", autocompletion=complete_runs),
]
PriceFile = Annotated[
    Path | None,
    typer.Option(
        envvar="COOP_PRICES",
        help="YAML: model: {input, output}, USD per million tokens, in place of the dated list "
        "that ships.",
    ),
]
SeedCount = Annotated[int, typer.Option(help="How many seeds, from 0.", min=1)]
EverySeat = Annotated[str, typer.Option(help="The model of every seat.")]
Weights = Annotated[Path | None, typer.Option(help="A file of weights by artefact.")]
Currency = Annotated[
    str,
    typer.Option(
        help="Of the bounty, a code of ISO 4217; amounts are in its smallest unit: EUR in cents, "
        "JPY whole.",
        callback=lambda given: (decimals_of(given), given)[1],
    ),
]
Port = Annotated[int, typer.Option(help="0 takes a free one.", min=0, max=65535)]
Model = Annotated[
    str,
    typer.Option(
        help="Who answers for every agent: provider:name, with settings after commas, as in "
        "openai:gpt-5-mini,temperature=0.2,answers=tools.",
        autocompletion=complete_models,
    ),
]
AgentSeats = Annotated[
    list[str] | None,
    typer.Option(help="NAME=provider:name[,setting=value…]: who answers for one agent."),
]
Personas = Annotated[
    list[str] | None,
    typer.Option(
        "--persona",
        help="NAME=text, or NAME=@file: who an agent is and what it wants, told to it alone.",
    ),
]
BaseUrl = Annotated[
    str | None, typer.Option(help="URL of an OpenAI-compatible endpoint, for every openai: seat.")
]
NoSandbox = Annotated[
    bool,
    typer.Option(
        "--unsafe-no-sandbox",
        help="Run foreign code without a sandbox.",
        callback=lambda given: _permit(NO_SANDBOX, given),
    ),
]
TrustPrograms = Annotated[
    bool,
    typer.Option(
        "--trust-programs",
        help="Run the Python files and imports that a suite or a sweep's folder names.",
        callback=lambda given: _permit(PROGRAMS, given),
    ),
]
SetPairs = Annotated[
    list[str] | None, typer.Option("--set", help="key=value: a parameter of the game.")
]


def _permit(what: Permission, given: bool) -> bool:
    if given:
        permit(what)
    return given


def settings_from(given: list[str] | None, file: Path | None = None) -> dict[str, Any]:
    """Return a game's parameters: those of a file, replaced by the pairs that are given.

    Raises:
        ValueError: the file cannot be read, or a pair has no key or no equals sign.
    """
    hint = "write key: value, a line each"
    settings = read_mapping(file, "parameters", hint) if file else {}
    return settings | dict(_values(given or [], "--set {}: give key=value"))


def seats_from(
    model: str, agents: list[str] | None = None, base_url: str | None = None
) -> dict[str, Any]:
    """Return seats by agent; '*' stands for every agent not named.

    Raises:
        ValueError: a seat is not NAME=provider:name[,setting=value…].
    """
    refusal = "--agent {}: give NAME=provider:name, as in Alice=openai:gpt-5"
    named = {name: _seat(spec, base_url) for name, spec in _split(agents or [], refusal)}
    return {"*": _seat(model, base_url), **named}


def seat_from(model: str, base_url: str | None) -> "Seat":
    """Read the one seat of `--model`.

    Raises:
        ValueError: it is no seat, or one of its settings is wrong.
    """
    from pydantic import ValidationError

    from shapley_coop.invalid import first_error
    from shapley_coop.seats.seat import Seat

    try:
        return Seat.model_validate(seats_from(model, None, base_url)["*"])
    except ValidationError as error:
        raise ValueError(f"--model {model}: {first_error(error)}") from None


def personas_from(given: list[str] | None) -> dict[str, str]:
    """Return each agent's persona.

    Raises:
        ValueError: a part is not NAME=text, or its file cannot be read.
    """
    of = _split(given or [], "--persona {}: give NAME=text, or NAME=@file")
    return {agent: words("--persona", text) for agent, text in of}


def added_setting(setting: extension.Setting, given: list[str]) -> dict[str, Any]:
    """Return what an option of an extension was given for each agent.

    Raises:
        ValueError: a part is not NAME=text, or the extension cannot read it.
    """
    hint = setting.help.partition(":")[0]
    parts = _split(given, f"{setting.flag} {{}}: give {hint}")
    return {agent: extension.import_place(setting.reads)(text) for agent, text in parts}


def pairs(option: str, given: str) -> dict[str, Any]:
    """Read an option's key=value pairs, separated by commas.

    Raises:
        ValueError: a part has no key or no equals sign.
    """
    parts = filter(None, given.split(","))
    return dict(_values(parts, f"{option} {given}: {{!r}} is no limit: give key=value, …"))


def words(option: str, given: str) -> str:
    """Return an option's text, or a file's if it begins with @.

    Raises:
        ValueError: the file cannot be read.
    """
    return read_text(given[1:], f"the text of {option}") if given.startswith("@") else given


def _seat(spec: str, base_url: str | None) -> dict[str, Any]:
    model, *parts = _parts(spec)
    seat: dict[str, Any] = {"model": model.strip()}
    permit_program(seat["model"])  # it was named on the command line
    if base_url and model.startswith("openai:"):
        seat["base_url"] = base_url
    shown = spec.replace("{", "{{").replace("}", "}}")
    refusal = f"{shown}: {{!r}} is no setting: give temperature=0.2 and the like"
    settings = dict(_values(parts, refusal))
    if seat["model"].partition(":")[0] not in extension.offered("seats"):
        return seat | settings
    from shapley_coop.seats.seat import Seat  # most commands seat nobody so

    of_every_seat = {key: settings.pop(key) for key in Seat.model_fields if key in settings}
    return seat | of_every_seat | ({"options": settings} if settings else {})


def _parts(spec: str) -> list[str]:
    """Split a seat at its commas, but for those within brackets: stop=[a, b] is one setting."""
    parts, depth = [""], 0
    for char in spec:
        depth += (char in "[{") - (char in "]}")
        if char == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _values(parts: Iterable[str], refusal: str) -> Iterator[tuple[str, Any]]:
    """Split key=value pairs and read each value as YAML, or as text if it is no YAML."""
    for key, value in _split(parts, refusal):
        import yaml  # most commands are given none

        try:
            yield key, yaml_of(value)
        except yaml.YAMLError:
            yield key, value


def _split(parts: Iterable[str], refusal: str) -> Iterator[tuple[str, str]]:
    """Split key=value pairs; a part that is none is refused in the words of `refusal`."""
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise ValueError(refusal.format(part))
        yield key.strip(), value.strip()
