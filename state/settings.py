"""The configuration and the game of a table's settings, built once per process."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from shapley_coop.games import Game, load
from shapley_coop.games.baseline import RANDOM
from shapley_coop.games.catalogue import read, title
from shapley_coop.games.opened import not_here
from shapley_coop.games.params import GameError
from shapley_coop.remembered import Bounded
from shapley_coop.state.home_files.digests import is_other
from shapley_coop.state.resolving import check_digests
from shapley_coop.state.run_config import RunConfig

RECIPE = (
    *("game", "params", "seed", "absent", "norm", "disagreement"),
    *("constraints", "enforcement", "deposit"),
)
"""The names of the settings that determine values, transfers and payoffs."""


def name_of(config: RunConfig) -> str:
    """Return the name of a configuration's game."""
    return title(config.game)


def settings_of(config: RunConfig) -> dict[str, Any]:
    """Return a resolved configuration as plain JSON, the form in the register and on the table.

    Equal configurations share one returned object to save memory, so callers must not change it.
    """
    return _settings(config.model_dump_json())


def config_of(settings: Mapping[str, Any]) -> RunConfig:
    """Return the configuration that a table's settings describe."""
    return _config(_text(settings))


def game_of(settings: Mapping[str, Any]) -> Game:
    """Return the game that a table's settings describe."""
    return _game(_text(settings))


def forget_games() -> None:
    """Forget all built games, for example after a notebook has redefined a game's class."""
    _game.cache_clear()


def recipe_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings that determine values, transfers and payoffs."""
    return {key: settings[key] for key in RECIPE if key in settings}


@lru_cache(maxsize=256)
def _settings(told: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told)
    _texts[id(found)] = found, json.dumps(found, sort_keys=True)
    return found


_texts = Bounded[int, tuple[Mapping[str, Any], str]]()
"""The id of settings made by `settings_of` → these settings and their canonical text."""


def _text(settings: Mapping[str, Any]) -> str:
    """Return settings as JSON with sorted keys, by which configurations and games are cached."""
    made, text = _texts.get(id(settings), (None, ""))
    return text if made is settings else json.dumps(settings, sort_keys=True)


@lru_cache(maxsize=256)
def _config(settings: str) -> RunConfig:
    return RunConfig.model_validate_json(settings)


@lru_cache(maxsize=256)
def _game(settings: str) -> Game:
    config = _config(settings)
    _check_files(config)
    return load_game(config)


def _check_files(config: RunConfig) -> None:
    """Check that files named by parameters are unchanged since the run began.

    Files are opened only for parameters that a game declares as files.

    Raises:
        GameError: a parameter names a file that is missing or was edited.
    """
    check_digests(config)
    for key, known in config.digests.items():
        path = config.params[key]
        if missing := not_here(key, path):
            raise GameError(missing)
        if is_other(path, known):
            raise GameError(
                f"the {key} file {path} differs from the one with which this run was played: "
                "restore it, since all figures of the run depend on it"
            )


_of_any_seed = Bounded[str, Game]()


def load_game(config: RunConfig) -> Game:
    """Return the game with the run's baseline; games that do not use the seed are cached.

    Raises:
        GameError: the game does not exist, or a parameter or the baseline is wrong.
    """
    recipe = repr((read(config.game), config.params, config.absent))
    if (game := _of_any_seed.get(recipe)) is None:
        given = {"absent": absent_of(config.absent)} if config.absent else {}
        game = load(config.game, {**config.params, **given}, config.seed)
        assert game.baseline, "it is read, so that a wrong one is refused before play"
        # Cache only games of this package: others may use the seed without declaring it.
        ours = type(game).__module__.startswith("shapley_coop.games.")
        if ours and not game.needs_seed and game.baseline.kind != RANDOM:
            _of_any_seed[recipe] = game
    return game


def absent_of(text: str) -> str | dict[str, str]:
    """Return a baseline from its text: a word, an action, or the mapping of "agent=action,…"."""
    if "=" not in text:
        return text.strip()
    pairs = (pair.partition("=") for pair in text.split(","))
    return {agent.strip(): action.strip() for agent, _, action in pairs}
