"""Games of this project as PettingZoo's `ParallelEnv`, for learners and other tools.

>>> from shapley_coop.games import load
>>> env = as_parallel_env(load("prisoners_dilemma"))
>>> observations, infos = env.reset(seed=7)
>>> env.step({"Alice": 0, "Bob": 1})[1]
{'Alice': 2.0, 'Bob': -1.0}
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from shapley_coop.extras import require_extra
from shapley_coop.games.game import Game
from shapley_coop.games.params import GameError
from shapley_coop.games.turns import Position, Step

with require_extra("pettingzoo", "an environment of PettingZoo"):
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import ParallelEnv

Observation = dict[str, np.ndarray]
Path = tuple[str | int, ...]


class GameEnv(ParallelEnv[str, Observation, int]):  # type: ignore[misc]
    """A game of this project with PettingZoo's interface.

    Actions are indices into `game.actions[agent]`. An agent that chooses a masked action takes no
    action. An agent without a legal action in a turn must also choose one; its mask then
    allows every action. A reward is the game's reward plus an equal share of the pot. An
    observation is a dict of

    - `observation`: each agent's latest action (an index, -1 for none), then the numbers in the
      agent's view of the game, in the order of the first view;
    - `action_mask`: 1 for each action that is allowed now.

    An agent's infos contain its view of the game and its legal actions, as letters do.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "game", "render_modes": []}

    def __init__(self, game: Game) -> None:
        self.game = game
        self.metadata = {**type(self).metadata, "name": game.name}  # type: ignore[misc]
        self.render_mode = None
        self.possible_agents = list(game.agents)
        self.agents: list[str] = []
        self._position = game.start()
        self._latest = dict.fromkeys(game.agents, -1)
        self._shown = {a: list(_numbers(game.view(self._position, a))) for a in game.agents}
        self._actions = {agent: Discrete(len(game.actions[agent])) for agent in game.agents}
        self._observations = {agent: self._space(agent) for agent in game.agents}

    def action_space(self, agent: str) -> Discrete:
        """Return the agent's action space, the same object every time."""
        return self._actions[agent]

    def observation_space(self, agent: str) -> Dict:
        """Return the agent's observation space, the same object every time."""
        return self._observations[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start the game again, with the dice of `seed` if given."""
        if seed is not None and seed != self.game.seed:
            self.game = type(self.game)(self.game.params.model_dump(exclude_unset=True), seed)
        self.agents = list(self.possible_agents)
        self._position = self.game.start()
        self._latest = dict.fromkeys(self.possible_agents, -1)
        return self._seen()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play one turn of the game.

        Raises:
            GameError: an index is not an action of its agent.
        """
        named = {agent: self._action(agent, index) for agent, index in actions.items()}
        chosen = {
            agent: action
            for agent, action in named.items()
            if action in self.game.legal(self._position, agent)
        }
        after = self.game.step(self._position, chosen)
        self._position = after.position
        self._latest = {
            agent: int(actions[agent]) if agent in chosen else self._latest[agent]
            for agent in self.possible_agents
        }
        over = self.game.over(self._position)
        acting = list(self.agents)
        observations, infos = self._seen()
        rewards = {agent: self._reward(after, agent) for agent in acting}
        self.agents = [] if over else acting
        over_for, cut_for = dict.fromkeys(acting, over), dict.fromkeys(acting, False)
        return observations, rewards, over_for, cut_for, infos

    def render(self) -> None:
        """Do nothing, since a game is shown only in the letters to agents."""

    def _action(self, agent: str, index: int) -> str:
        names = self.game.actions[agent]
        if not 0 <= index < len(names):
            raise GameError(f"{agent} has no action {index}: give 0 to {len(names) - 1}")
        return names[index]

    def _reward(self, after: Step, agent: str) -> float:
        return float(after.rewards.get(agent, 0)) + float(after.pot) / len(self.possible_agents)

    def _space(self, agent: str) -> Dict:
        length = len(self.possible_agents) + len(self._shown[agent])
        return Dict(
            {
                "observation": Box(-np.inf, np.inf, (length,), np.float64),
                "action_mask": Box(0, 1, (len(self.game.actions[agent]),), np.int8),
            }
        )

    def _observed(self, agent: str, position: Position, legal: list[str]) -> Observation:
        now = _numbers(position)  # a number missing in this view becomes 0
        numbers = [now.get(path, 0.0) for path in self._shown[agent]]
        mask = [not legal or name in legal for name in self.game.actions[agent]]
        return {
            "observation": np.array([*self._latest.values(), *numbers], np.float64),
            "action_mask": np.array(mask, np.int8),
        }

    def _seen(self) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Return the agents' observations and infos."""
        infos: dict[str, dict[str, Any]] = {
            agent: {
                "position": self.game.view(self._position, agent),
                "legal": self.game.legal(self._position, agent),
            }
            for agent in self.agents
        }
        return {agent: self._observed(agent, **infos[agent]) for agent in self.agents}, infos


def as_parallel_env(game: Game) -> GameEnv:
    """Return a game as a `ParallelEnv`; `reset(seed=…)` changes the seed of its dice."""
    return GameEnv(game)


def _numbers(view: Any, path: Path = ()) -> dict[Path, float]:
    """Return path → number for all numbers in a nested view."""
    if isinstance(view, int | float):
        return {path: float(view)}
    inner: Iterable[tuple[Any, Any]] = view.items() if isinstance(view, Mapping) else ()
    if isinstance(view, list | tuple):
        inner = enumerate(view)
    return {p: x for key, part in inner for p, x in _numbers(part, (*path, key)).items()}
