"""The definition of a tournament, read from a YAML file, and its expansion to suites.

>>> from shapley_coop.extensions.trials.tournament.entry import Tournament, suites
>>> seats = {"hard": "embedded:greedy", "fair": "embedded:rational"}
>>> games = {"room": {"game": "escape_room"}}
>>> [suite.name for suite in suites(Tournament(name="two", seats=seats, games=games))]
['two_room']
"""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from shapley_coop.evals.seeds import Seeds
from shapley_coop.extensions.sweeps.cells import read_settings
from shapley_coop.extensions.sweeps.suite import NAMING, Suite, refuse_programs
from shapley_coop.files import no_such, read_mapping
from shapley_coop.games import load
from shapley_coop.invalid import first_error
from shapley_coop.seats.seat import Seat, as_seat

FIRST, SECOND = "first", "second"
"""The axes of a suite: the seats in the game's first and in its second role."""

ROLES = 2
_SHIPPED = Path(__file__).parent


class Tournament(BaseModel):
    """The definition of a round robin: every seat meets all seats and itself, in both roles."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9_]{1,30}$", description=NAMING)
    about: str = Field(default="", description="The question that the tournament answers.")
    seats: dict[str, Any] = Field(
        min_length=2, description="Name → a seat: its model, or a mapping of its settings."
    )
    games: dict[str, dict[str, Any]] = Field(
        min_length=1,
        description="Name → `game` (for two agents), its `graph`, and further run configuration.",
    )
    seeds: Seeds = Field(default=[0])

    @field_validator("seats")
    @classmethod
    def _seated(cls, seats: dict[str, Any]) -> dict[str, Any]:
        for name, seat in seats.items():
            if not isinstance(seat, str | dict):
                raise ValueError(f"{name}: give a model, as provider:name, or its settings")
            try:
                Seat.model_validate(as_seat(seat))
            except ValidationError as error:
                raise ValueError(f"{name}: {first_error(error, Seat)}") from None
        return seats

    @field_validator("games")
    @classmethod
    def _named(cls, games: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        for name, settings in games.items():
            if not (name.isascii() and name.isidentifier() and name == name.lower()):
                raise ValueError(f"{name!r}: use lower-case letters, digits and _ in a name")
            if "game" not in settings or "seats" in settings or "seed" in settings:
                raise ValueError(f"{name}: give game and its settings, without seats and seed")
            try:
                read_settings(settings)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        return games

    @field_validator("seeds")
    @classmethod
    def _once(cls, seeds: list[int]) -> list[int]:
        if len(set(seeds)) < len(seeds):
            raise ValueError("a name is given twice: give each once")
        return seeds


def shipped() -> list[str]:
    """Return the names of the tournaments that come with the project, sorted."""
    return sorted(path.stem for path in _SHIPPED.glob("*.yaml"))


def load_tournament(name: str) -> Tournament:
    """Read a tournament by its name or file.

    Raises:
        ValueError: the tournament does not exist, is invalid, or names a program as its game.
    """
    path = _SHIPPED / f"{name}.yaml" if name in shipped() else Path(name)
    if not path.is_file():
        raise ValueError(no_such("tournament", name, shipped(), "or give a file"))
    return read_tournament(path)


def read_tournament(path: Path) -> Tournament:
    """Read a tournament's file; raise ValueError for the reasons that `load_tournament` names."""
    content = read_mapping(path, "a tournament", "give seats and games")
    try:
        found = Tournament.model_validate({"name": path.stem, **content})
    except ValidationError as error:
        raise ValueError(f"{path}: {first_error(error, Tournament)}") from None
    refuse_programs(path, (settings["game"] for settings in found.games.values()))
    return found


def suites(tournament: Tournament) -> list[Suite]:
    """Return the suite of each game: first seat × second seat × seeds.

    Raises:
        ValueError: a game cannot be loaded, or does not have two agents.
    """
    found = []
    for name, settings in tournament.games.items():
        try:
            agents = load(settings["game"], settings.get("params")).agents
        except ValueError as error:
            raise ValueError(f"game {name}: {error}") from None
        if len(agents) != ROLES:
            raise ValueError(f"game {name}: has {len(agents)} agents, not two")
        axes = zip((FIRST, SECOND), agents, strict=True)
        vary: dict[str, Any] = {
            axis: {label: {"seats": {agent: seat}} for label, seat in tournament.seats.items()}
            for axis, agent in axes
        }
        about = f"{tournament.about} The game {name}."
        given = {"about": about.strip(), "base": settings, "vary": vary}
        suite = {"name": suite_name(tournament, name), "seeds": tournament.seeds, **given}
        found.append(Suite.model_validate(suite))
    return found


def suite_name(tournament: Tournament, game: str) -> str:
    """Return the name of a game's suite: the tournament's name, "_" and the game's name.

    Raises:
        ValueError: the name has more than 64 characters.
    """
    name = f"{tournament.name}_{game}"
    if len(name) > 64:
        raise ValueError(
            f"game {game}: give a shorter name: the run's name {name} has more than 64 characters"
        )
    return name
