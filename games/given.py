"""The run settings that rebuild a game object passed by a program.

>>> from shapley_coop.games import load
>>> recipe_of(load("escape_room", {"prize": 20}, seed=7))
{'game': 'escape_room', 'params': {'prize': 20}, 'seed': 7}
"""

from typing import Any

from shapley_coop.games.catalogue import load, names
from shapley_coop.games.game import Game
from shapley_coop.games.matrix import MatrixGame
from shapley_coop.games.params import GameError


def recipe_of(game: Game) -> dict[str, Any]:
    """Return the settings of a run by which this game can be rebuilt, even after a restart.

    Raises:
        GameError: no settings rebuild this game; one line says why.
    """
    kind = type(game)
    if "<locals>" in kind.__qualname__:
        raise GameError(
            f"{kind.__name__} is defined inside a function, where resume and verify cannot find "
            "it: define it at the top of a module"
        )
    params = game.params.model_dump(mode="json", exclude_unset=True)
    named = _name_of(game)
    if kind is MatrixGame:
        named, params = params, {}
    again = load(named, params, game.seed)
    if type(again) is not kind:
        raise GameError(
            f"{kind.__name__} was redefined after the game was made: make the game from the new "
            "class"
        )
    if (again.agents, again.rules(), again.facts()) != (game.agents, game.rules(), game.facts()):
        raise GameError(
            f"{kind.__name__} changes when it is built again from its params and seed: put "
            "everything that it is made from into its Params"
        )
    return {"game": named, "params": params, "seed": game.seed}


def _name_of(game: Game) -> str | dict[str, Any]:
    kind = type(game)
    shipped = kind.__module__.startswith("shapley_coop.") and game.name in names()
    return game.name if shipped else f"python:{kind.__module__}:{kind.__qualname__}"
