"""Options that several commands share, and the parsing of their values."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from shapley_coop import extension
from shapley_coop.currencies import decimals_of
from shapley_coop.files import read_mapping, read_text, yaml_of
from shapley_coop.permissions import NO_SANDBOX, PROGRAMS, Permission, permit, permit_program

if TYPE_CHECKING:
    from shapley_coop.evals.prices import Prices
    from shapley_coop.seats.seat import Seat

_Options = TypeVar("_Options")
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def complete_runs(incomplete: str) -> list[str]:
    """Return the names of this home's runs that begin with a text, for a shell's completion."""
    from shapley_coop.state.storage.home import home

    return [run.run for run in home().list_runs() if run.run.startswith(incomplete)]


def complete_games(incomplete: str) -> list[str]:
    """Return the games' names that begin with a text; the shell itself completes game files."""
    from shapley_coop.games import names

    return [name for name in names() if name.startswith(incomplete)]


def complete_graphs(incomplete: str) -> list[str]:
    """Return the names of workflows that begin with a text, for a shell's completion."""
    from shapley_coop.graphs import names

    return [name for name in names() if name.startswith(incomplete)]


def complete_models(incomplete: str) -> list[str]:
    """Return the names of embedded agents and other seats that begin with a text, for a shell."""
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
        help="A YAML file of prices that replaces the list shipped with coop; each entry is "
        "model: {input, output}, in USD per million tokens.",
    ),
]


def prices_from(path: Path | None) -> "Prices":
    """Return the prices in a file, or by default the prices that come with the project."""
    from shapley_coop.evals.prices import read_prices

    return read_prices(path) if path else read_prices()


Weights = Annotated[Path | None, typer.Option(help="A file of weights by kind of artefact.")]
Currency = Annotated[
    str,
    typer.Option(
        help="The bounty's currency, a code of ISO 4217. Amounts are in its smallest unit: cents "
        "for EUR, whole yen for JPY.",
        callback=lambda given: (decimals_of(given), given)[1],
    ),
]
Port = Annotated[int, typer.Option(help="The port; 0 chooses a free one.", min=0, max=65535)]
Model = Annotated[
    str,
    typer.Option(
        help="The seat of every agent: provider:name, with settings after commas, as in "
        "openai:gpt-5-mini,temperature=0.2,answers=tools.",
        autocompletion=complete_models,
    ),
]
AgentSeats = Annotated[
    list[str] | None,
    typer.Option(help="NAME=provider:name[,setting=value…]: the model of one agent."),
]
Personas = Annotated[
    list[str] | None,
    typer.Option(
        "--persona",
        help="NAME=text, or NAME=@file: the agent's character and aims, in words; only this agent "
        "sees them.",
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(help="URL of an OpenAI-compatible endpoint, used by every openai: seat."),
]
NoSandbox = Annotated[
    bool,
    typer.Option(
        "--unsafe-no-sandbox",
        help="Run untrusted code without a sandbox.",
        callback=lambda given: _permit(NO_SANDBOX, given),
    ),
]
TrustPrograms = Annotated[
    bool,
    typer.Option(
        "--trust-programs",
        help="Allow the Python files and imports named by a suite or a sweep's folder to run.",
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


def with_options_of(
    options: Callable[..., _Options],
) -> Callable[[Callable[[_Options], None]], Callable[..., None]]:
    """Make a command of a function of one object: each field of its class is an option."""

    def made(function: Callable[[_Options], None]) -> Callable[..., None]:
        @wraps(function)
        def command(**given: Any) -> None:
            function(options(**given))

        command.__signature__ = inspect.signature(options)  # type: ignore[attr-defined]
        return command

    return made


def settings_from(given: list[str] | None, file: Path | None = None) -> dict[str, Any]:
    """Return a game's parameters from a file and from key=value pairs; pairs override the file.

    Raises:
        ValueError: the file cannot be read, or a pair has no key or no equals sign.
    """
    hint = "write key: value, a line each"
    settings = read_mapping(file, "parameters", hint) if file else {}
    return settings | dict(_values(given or [], "--set {part}: give key=value"))


def seats_from(
    model: str, agents: list[str] | None = None, base_url: str | None = None
) -> dict[str, Any]:
    """Return a mapping from agents to seats; the key '*' stands for all agents not named.

    Raises:
        ValueError: a seat is not NAME=provider:name[,setting=value…].
    """
    refusal = "--agent {part}: give NAME=provider:name, as in Alice=openai:gpt-5"
    named = {name: _seat(spec, base_url) for name, spec in _split(agents or [], refusal)}
    return {"*": _seat(model, base_url), **named}


def seat_from(model: str, base_url: str | None) -> "Seat":
    """Return the seat that `--model` describes.

    Raises:
        ValueError: the option names no seat, or a setting is wrong.
    """
    from pydantic import ValidationError

    from shapley_coop.invalid import first_error
    from shapley_coop.seats.seat import Seat

    try:
        return Seat.model_validate(seats_from(model, None, base_url)["*"])
    except ValidationError as error:
        raise ValueError(f"--model {model}: {first_error(error)}") from None


def personas_from(given: list[str] | None) -> dict[str, str]:
    """Return a mapping from agents to personas.

    Raises:
        ValueError: an entry is neither NAME=text nor NAME=@file, or the file cannot be read.
    """
    of = _split(given or [], "--persona {part}: give NAME=text, or NAME=@file")
    return {agent: words("--persona", text) for agent, text in of}


def added_setting(setting: extension.Setting, given: list[str]) -> dict[str, Any]:
    """Return agent → the value that the option of an extension gives to this agent.

    Raises:
        ValueError: an entry is not NAME=text, or the extension cannot read the text.
    """
    hint = setting.help.partition(":")[0]
    parts = _split(given, f"{setting.flag} {{part}}: give {hint}")
    return {agent: extension.import_place(setting.reads)(text) for agent, text in parts}


def pairs(option: str, given: str) -> dict[str, Any]:
    """Return the key=value pairs of an option, where commas separate pairs, as a mapping.

    Raises:
        ValueError: a part has no key or no equals sign.
    """
    parts = filter(None, given.split(","))
    return dict(_values(parts, f"{option}: {{part}} is no limit: give key=value, …"))


def words(option: str, given: str) -> str:
    """Return an option's text or, if the text is @FILE, the content of that file.

    Raises:
        ValueError: the file cannot be read.
    """
    return read_text(given[1:], f"the text of {option}") if given.startswith("@") else given


def _seat(spec: str, base_url: str | None) -> dict[str, Any]:
    model, *parts = _parts(spec)
    seat: dict[str, Any] = {"model": model.strip()}
    permit_program(seat["model"])  # the user trusts a program named on the command line
    if base_url and model.startswith("openai:"):
        seat["base_url"] = base_url
    refusal = f"{spec}: '{{part}}' is no setting: give temperature=0.2 and the like"
    settings = dict(_values(parts, refusal))
    if seat["model"].partition(":")[0] not in extension.offered("seats"):
        return seat | settings
    from shapley_coop.seats.seat import Seat  # imported here because few commands use seats

    of_every_seat = {key: settings.pop(key) for key in Seat.model_fields if key in settings}
    return seat | of_every_seat | ({"options": settings} if settings else {})


def _parts(spec: str) -> list[str]:
    """Split a seat's text at its commas, except at commas in brackets such as stop=[a, b]."""
    parts, depth = [""], 0
    for char in spec:
        depth += (char in "[{") - (char in "]}")
        if char == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _values(parts: Iterable[str], refusal: str) -> Iterator[tuple[str, Any]]:
    """Yield each pair's key and value; parse the value as YAML, or keep it as text if not YAML."""
    for key, value in _split(parts, refusal):
        import yaml  # imported here because few commands get key=value pairs

        try:
            yield key, yaml_of(value)
        except yaml.YAMLError:
            yield key, value


def _split(parts: Iterable[str], refusal: str) -> Iterator[tuple[str, str]]:
    """Yield the key and value of each part.

    Raises:
        ValueError: a part is not a pair; the message is `refusal`, with the part for "{part}".
    """
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise ValueError(refusal.replace("{part}", part))
        yield key.strip(), value.strip()
