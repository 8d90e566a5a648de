"""Games: pure and seeded worlds with JSON positions, in which agents act.

A game defines the agents, their legal actions, the rewards of joint actions, and the worth of
coalitions. It never asks an agent anything, and imports nothing from `deals`, `seats` or `state`.

>>> from shapley_coop.games import load
>>> game = load("escape_room", seed=7)
>>> position = game.start()
>>> game.legal(position, "Alice")
['door', 'lever']
>>> game.step(position, {"Alice": "lever", "Bob": "door"}).rewards
{'Alice': -1, 'Bob': 10}

A new game is a file or folder that binds a subclass of `Game` to `GAME`, or a YAML file of payoffs.
`games.catalogue` finds games in this folder by name, and other games by path.
"""

from shapley_coop.games.catalogue import foresight_of, load, names, summary
from shapley_coop.games.game import Game
from shapley_coop.games.params import GameError, Names, Number, Params
from shapley_coop.games.turns import Position, Step, Turn

__all__ = [
    "Game",
    "GameError",
    "Names",
    "Number",
    "Params",
    "Position",
    "Step",
    "Turn",
    "foresight_of",
    "load",
    "names",
    "summary",
]
