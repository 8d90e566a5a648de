"""The worlds agents act in: pure, seeded, JSON in and JSON out.

A game says who plays, what each may do, what a joint action pays, and what a coalition of its
agents is worth. It asks no agent anything and imports no other room.

>>> from shapley_coop.games import load
>>> game = load("escape_room", seed=7)
>>> position = game.start()
>>> game.legal(position, "Alice")
['door', 'lever']
>>> game.step(position, {"Alice": "lever", "Bob": "door"}).rewards
{'Alice': -1, 'Bob': 10}

A new game is one file or folder that defines a subclass of `Game` and binds it to `GAME`, or one
YAML file of payoffs: `games.catalogue` finds either by its name here, or by its path elsewhere.
"""

from shapley_coop.games.catalogue import foresight_of, load, names, summary
from shapley_coop.games.game import Game
from shapley_coop.games.params import GameError, Number, Params
from shapley_coop.games.turns import Position, Step, Turn

__all__ = [
    "Game",
    "GameError",
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
