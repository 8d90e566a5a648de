"""The resolution of a run's configuration: its files are read, and its settings are checked."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shapley_coop.credit import can_settle
from shapley_coop.credit.norms import norm, norms
from shapley_coop.games import Game
from shapley_coop.games.catalogue import read
from shapley_coop.games.opened import is_file, opens
from shapley_coop.games.params import GameError
from shapley_coop.seats.seat import RECORDING, Seat
from shapley_coop.state import additions
from shapley_coop.state.home_files.digests import digest_of
from shapley_coop.state.home_files.kept import keep_pack, keep_persona
from shapley_coop.state.home_files.secrets import reservation_of, secrets_of

if TYPE_CHECKING:
    from shapley_coop.state.run_config import RunConfig


def resolve_config(config: "RunConfig", game: Game) -> "RunConfig":
    """Return a copy of a configuration with the contents of its files and a seat for each agent.

    Args:
        config: the configuration as the user gave it.
        game: the configuration's game.

    Raises:
        ValueError: the norm cannot settle the game, an agent has no seat, or a seat or persona
            names an agent that does not play.
    """
    _check_game(config, game)
    check_digests(config)
    seats = _seats(config, game)
    for agent in secrets_of(config.secrets):
        reservation_of(config.secrets, agent)
    check_plays("a persona", config.personas, game)
    params = {key: _where(key, value) for key, value in config.params.items()}
    files = {key: path for key, path in params.items() if is_file(key, path)}
    kept = {
        "game": read(config.game),
        "params": params,
        "digests": {key: digest_of(path) for key, path in files.items()} | config.digests,
        "seats": {name: _describe(seat) for name, seat in seats.items()},
        "personas": {agent: keep_persona(text) for agent, text in config.personas.items()},
        "prompts": keep_pack(config.prompts),
        "extensions": additions.resolve_additions(config, game),
    }
    return config.model_copy(update=kept)


def check_digests(config: "RunConfig") -> None:
    """Check that each digest (a file's hash) belongs to a parameter that names a file.

    Raises:
        GameError: a digest belongs to a parameter that does not name a file.
    """
    for key in config.digests:
        if not opens(key, config.params.get(key)):
            raise GameError(f"digests: {key[:100]!r} is not a parameter that names a file")


def _where(key: str, value: Any) -> Any:
    """Return a parameter's value; a file's path becomes absolute, so runs work from any folder."""
    return str(Path(value).absolute()) if is_file(key, value) else value


def norms_of(game: Game) -> list[str]:
    """Return the norms that can divide a game's total; [] if a baseline must be declared first."""
    known = [] if game.baseline.warning else norms()
    return [norm for norm in known if can_settle(norm, len(game.agents))]


def _check_game(config: "RunConfig", game: Game) -> None:
    from shapley_coop.state.run_config import OUTSIDERS

    if taken := set(OUTSIDERS).intersection(game.agents):
        raise ValueError(f"{', '.join(sorted(taken))} is a reserved role: rename the agent")
    if not can_settle(config.norm, len(game.agents)):
        raise ValueError(
            f"the norm {config.norm} cannot be computed from every record of "
            f"{len(game.agents)} agents: choose shapley, leave_one_out, equal or proportional"
        )
    norm(config.norm)  # raises an error before play if the norm's library is missing
    if config.disagreement != "signed" and game.baseline.warning:
        raise ValueError(
            f"disagreement {config.disagreement} needs values: {game.baseline.warning}"
        )


def _seats(config: "RunConfig", game: Game) -> dict[str, Seat]:
    """Return the seats of all agents, and of outsiders that have a seat."""
    from shapley_coop.state.run_config import DEFAULT_SEAT, OUTSIDERS

    named = config.seats
    beside = f"; {' and '.join(OUTSIDERS)} can sit beside them"
    check_plays("a seat", set(named) - {*OUTSIDERS, DEFAULT_SEAT}, game, beside)
    fallback = named.get(DEFAULT_SEAT)
    seats = {agent: named.get(agent, fallback) for agent in game.agents}
    if missing := [agent for agent, seat in seats.items() if seat is None]:
        raise ValueError(f"there is no seat for {', '.join(missing)}: give one, or give '*'")
    seats |= {name: named[name] for name in OUTSIDERS if name in named}
    return {name: seat for name, seat in seats.items() if seat}


def _describe(seat: Seat) -> Seat:
    """Return a seat; if a recording answers for it, add the recording's description."""
    if seat.provider != RECORDING:  # other seats need no LangChain here, which loads slowly
        return seat
    from shapley_coop.seats.recording import describe_recording

    return describe_recording(seat)


def check_plays(what: str, named: Iterable[str], game: Game, others: str = "") -> None:
    """Check that all named agents play the game.

    Args:
        what: what the named agents get, with its article, for the error, such as "a seat".
        named: the agents.
        others: the end of the error's text, such as who else can get it.

    Raises:
        ValueError: a named agent does not play.
    """
    if strangers := set(named) - set(game.agents):
        raise ValueError(
            f"{what} is given to {', '.join(sorted(strangers))}, who does not play: "
            f"the agents are {', '.join(game.agents)}{others}"
        )
