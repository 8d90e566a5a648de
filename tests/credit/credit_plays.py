"""Records that tests of credit are about: given joint actions, or random plays of any game."""

import random
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from itertools import product
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Discrete
from pettingzoo import ParallelEnv

from shapley_coop.credit import attribute_by
from shapley_coop.credit.characteristic import Attribution
from shapley_coop.extension import installed
from shapley_coop.games import Game, Turn, load, names
from shapley_coop.games.baseline import absent_action
from shapley_coop.games.matrix import MatrixGame
from shapley_coop.games.replay import Replays, conduct, step_by_step
from shapley_coop.games.turns import realised_total
from shapley_coop.state.characteristic import characteristic
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from tests.games.made_games import TUG
from tests.root import ROOT


def recorded(game: Game, plays: Sequence[Mapping[str, str]]) -> list[Turn]:
    """A record of these joint actions."""
    position, record = game.start(), list[Turn]()
    for number, actions in enumerate(plays, start=1):
        after = game.step(position, actions)
        position = after.position
        turn: Turn = {"turn": number, "actions": dict(actions), "rewards": after.rewards}
        if after.pot:
            turn["pot"] = after.pot
        record.append(turn)
    return record


def at_random(
    game: Game, seed: int, passes: float = 0.1, stop: int = 30, null: int | None = None
) -> list[Turn]:
    """A play in which everybody acts at random, and passes now and then.

    The agent of index `null` does what its baseline does.
    """
    dice, position, plays = random.Random(seed), game.start(), []
    while not game.over(position) and len(plays) < stop:
        legal = {a: acts for a in game.agents if (acts := game.legal(position, a))}
        actions = {a: dice.choice(acts) for a, acts in legal.items() if dice.random() >= passes}
        if null is not None and (idler := game.agents[null]) in legal:
            actions.pop(idler, None)
            done = absent_action(game, game.baseline, position, idler)
            actions |= {idler: done} if done else {}
        plays.append(actions)
        position = game.step(position, actions).position
    return recorded(game, plays)


def credited(game: Game, record: Sequence[Turn], norm: str = "shapley") -> Attribution:
    """The values of a record."""
    return attribute_by(characteristic(game, record), norm)


def ends(game: Game, record: Sequence[Turn], norm: str = "shapley") -> list[Fraction]:
    """What each agent ends with under a norm."""
    return list(credited(game, record, norm).payoffs(realised_total(record)).values())


def joint(game: Game, *actions: str, times: int = 1) -> list[Turn]:
    """A record in which the same is done again and again."""
    return recorded(game, [dict(zip(game.agents, actions, strict=True))] * times)


def slowly(game: Game, record: Sequence[Turn]) -> Replays:
    """Replays by the game's own step, whatever quicker way it has."""
    return step_by_step(game, conduct(game, record, game.baseline))


def all_coalitions(n: int) -> Any:
    """Shape (2ⁿ, n): row k has bit i of k for agent i."""
    return np.array([row[::-1] for row in product([False, True], repeat=n)])


class Heap(ParallelEnv):
    """Two pick from a heap that also shrinks by dice; each is paid its pick times what is left."""

    metadata: ClassVar[dict[str, Any]] = {"name": "heap"}

    def __init__(self) -> None:
        self.possible_agents = ["left", "right"]

    def action_space(self, agent: str) -> Discrete:
        return Discrete(3)

    def observation_space(self, agent: str) -> Discrete:
        return Discrete(20)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self.left = list(self.possible_agents), 12
        self.dice = np.random.default_rng(seed)
        return dict.fromkeys(self.agents, self.left), {a: {} for a in self.agents}

    def step(self, actions: Mapping[str, int]) -> Any:
        self.left = max(0, self.left - int(self.dice.integers(1, 4)) - sum(actions.values()))
        paid = {a: float(k * self.left) for a, k in actions.items()}
        told, seen = dict.fromkeys(actions, not self.left), dict.fromkeys(actions, self.left)
        self.agents = self.agents if self.left else []
        return seen, paid, told, dict.fromkeys(actions, False), {a: {} for a in actions}


HEAP = "pettingzoo:heaps:heap"


def with_heaps() -> None:
    """Have the environment's module importable, as that of a package that is not ours."""
    module = types.ModuleType("heaps")
    vars(module).update(ParallelEnv=ParallelEnv, heap=Heap)
    sys.modules["heaps"] = module


@dataclass(frozen=True)
class World:
    """A game that the battery plays.

    Attributes:
        source: what `load` takes.
        params: its parameters.
        renames: whether its agents can be given other names.
    """

    source: Any
    params: Mapping[str, Any] = field(default_factory=dict)
    renames: bool = True

    def game(self, seed: int, **more: Any) -> Game:
        """The game on a seed."""
        return load(self.source, {**self.params, **more}, seed)

    def renamed(self, seed: int, names: list[str]) -> Game:
        """The same game among agents of other names."""
        game = self.game(seed)
        if type(game) is not MatrixGame:
            return self.game(seed, agents=names)
        actions = dict(zip(names, game.actions.values(), strict=True))
        return self.game(seed, agents=names, actions=actions, absent=game.params.absent)

    def record(self, game: Game, seed: int, stop: int = 30, null: int | None = None) -> list[Turn]:
        """A random play.

        Args:
            game: as `game` gives it.
            seed: of the choices.
            stop: the most turns.
            null: the index of an agent that does what its baseline does.
        """
        # An environment ends when somebody takes no action.
        return at_random(game, seed, 0 if self.source == HEAP else 0.1, stop, null)


NAMED = {"task_exchange", "trade"}
"""Games whose actions name their agents."""


def _worlds_of_extensions() -> dict[str, World]:
    """What an extension brings in a module `credit_worlds` beside its tests."""
    found: dict[str, World] = {}
    for path in sorted(ROOT.glob("extensions/*/tests/credit_worlds.py")):
        found |= import_module(f"extensions.{path.parts[-3]}.tests.credit_worlds").worlds()
    return found


WORLDS = {
    **{name: World(name, renames=name not in NAMED) for name in names()},
    **_worlds_of_extensions(),
    "from YAML": World(TUG, {"rounds": 3}),
    "from YAML, away": World(TUG, {"rounds": 3, "absent": "away"}),
}
if "pettingzoo" in installed():
    WORLDS |= {
        "PettingZoo": World(HEAP, {"absent": "1"}),
        "PettingZoo, random": World(HEAP, {"absent": "random"}),
    }
"""Every game of the catalogue, one from a table, and one of PettingZoo."""


def evaluated(name: str, record: Any, **room: Any) -> EvaluatedTable:
    """The table of a record."""
    settings = RunConfig(game=name, **room).resolve().model_dump(mode="json")
    return EvaluatedTable({"episode": f"{name}/{room}", "settings": settings, "record": record})
