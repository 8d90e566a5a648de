"""The settings on the table as a configuration and a game, each built once in a process."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from shapley_coop.games import Game, load
from shapley_coop.games.catalogue import title
from shapley_coop.state.run_config import RunConfig

_GAME = ("game", "params", "absent", "seed")
"""What `load_game` reads."""


def name_of(room: RunConfig) -> str:
    """What the room's game is called."""
    return title(room.game)


def config_of(settings: Mapping[str, Any]) -> RunConfig:
    """The resolved room from the settings on the table."""
    return _room(json.dumps(settings, sort_keys=True))


def of_game(settings: Mapping[str, Any], *more: str) -> str:
    """The settings that a game is built from, and some more, as text: a name for both."""
    return json.dumps({k: settings[k] for k in (*_GAME, *more) if k in settings}, sort_keys=True)


def game_of(settings: Mapping[str, Any]) -> Game:
    """The game from the settings on the table; built once per process, whoever plays it."""
    return _game(of_game(settings))


@lru_cache(maxsize=256)
def _room(settings: str) -> RunConfig:
    return RunConfig.model_validate_json(settings)


@lru_cache(maxsize=256)
def _game(settings: str) -> Game:
    game = load_game(_room(settings))
    if "absent" not in json.loads(settings):
        game.of_earlier_version()
    return game


def load_game(room: RunConfig) -> Game:
    """The game, with the baseline that the run gives it.

    Raises:
        GameError: there is no such game, or a parameter or the baseline is wrong.
    """
    given = {"absent": absent_of(room.absent)} if room.absent else {}
    game = load(room.game, {**room.params, **given}, room.seed)
    assert game.baseline, "it is read, so that a wrong one is refused before play"
    return game


def absent_of(text: str) -> str | dict[str, str]:
    """A baseline as people write it: a word or an action, or agent=action pairs with commas."""
    if "=" not in text:
        return text.strip()
    pairs = (pair.partition("=") for pair in text.split(","))
    return {agent.strip(): action.strip() for agent, _, action in pairs}
