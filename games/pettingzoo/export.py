"""Every game of ours as a PettingZoo `ParallelEnv`, for learners and for anybody's tools.

>>> from shapley_coop.games import load
>>> env = as_parallel_env(load("prisoners_dilemma"))
>>> observations, infos = env.reset(seed=7)
>>> env.step({"Alice": 0, "Bob": 1})[1]
{'Alice': 2.0, 'Bob': -1.0}
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import ParallelEnv

from shapley_coop.games.game import Game, GameError, Step

Observation = dict[str, np.ndarray]
Path = tuple[str | int, ...]


class GameEnv(ParallelEnv[str, Observation, int]):  # type: ignore[misc]
    """One of our games behind PettingZoo's interface.

    Actions are indices into `game.actions[agent]`. One that its mask rules out counts for nothing:
    the agent idles, as the game defines it. An agent that has nothing to do at a turn is asked all
    the same, with every action open. Rewards are the game's, with an even part of the pot. An
    observation is a dict of

    - `observation`: each agent's latest action (an index, -1 for none), then the numbers that the
      game shows the agent, in the order in which they stood at the start;
    - `action_mask`: which actions are open now.

    The same facts that a letter would have are in the agent's infos.
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
        self._shown = {
            agent: list(_numbers(game.view(self._position, agent))) for agent in game.agents
        }
        self._actions = {agent: Discrete(len(game.actions[agent])) for agent in game.agents}
        self._observations = {agent: self._space(agent) for agent in game.agents}

    def action_space(self, agent: str) -> Discrete:
        """The same object every time."""
        return self._actions[agent]

    def observation_space(self, agent: str) -> Dict:
        """The same object every time."""
        return self._observations[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin again, on the dice of `seed` where one is given."""
        if seed is not None and seed != self.game.seed:
            self.game = type(self.game)(self.game.params.model_dump(exclude_unset=True), seed)
        self.agents = list(self.possible_agents)
        self._position = self.game.start()
        self._latest = dict.fromkeys(self.possible_agents, -1)
        return self._seen(), self._infos()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """One turn of the game.

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
        result = (
            self._seen(),
            {agent: self._reward(after, agent) for agent in acting},
            dict.fromkeys(acting, over),
            dict.fromkeys(acting, False),
            self._infos(),
        )
        if over:
            self.agents = []
        return result

    def render(self) -> None:
        """Nothing: letters are how a game is shown."""

    def close(self) -> None:
        """Nothing is held open."""

    def _action(self, agent: str, index: int) -> str:
        names = self.game.actions[agent]
        if not 0 <= index < len(names):
            raise GameError(f"{agent} has no action {index}: it has 0 to {len(names) - 1}")
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

    def _seen(self) -> dict[str, Observation]:
        return {agent: self._seen_by(agent) for agent in self.agents}

    def _seen_by(self, agent: str) -> Observation:
        view = self.game.view(self._position, agent)
        legal = self.game.legal(self._position, agent)
        numbers = [_at(view, path) for path in self._shown[agent]]
        mask = [not legal or name in legal for name in self.game.actions[agent]]
        return {
            "observation": np.array([*self._latest.values(), *numbers], np.float64),
            "action_mask": np.array(mask, np.int8),
        }

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {
            agent: {
                "position": self.game.view(self._position, agent),
                "legal": self.game.legal(self._position, agent),
            }
            for agent in self.agents
        }


def as_parallel_env(game: Game) -> GameEnv:
    """A game as a `ParallelEnv`; `reset(seed=…)` rolls its dice anew."""
    return GameEnv(game)


def _numbers(view: Any, path: Path = ()) -> Iterator[Path]:
    """The places at which a view holds a number."""
    if isinstance(view, Mapping):
        for key, inner in view.items():
            yield from _numbers(inner, (*path, key))
    elif isinstance(view, list | tuple):
        for n, inner in enumerate(view):
            yield from _numbers(inner, (*path, n))
    elif isinstance(view, int | float):
        yield path


def _at(view: Any, path: Path) -> float:
    """The number at that place; 0 where it is no longer."""
    for key in path:
        try:
            view = view[key]
        except (KeyError, IndexError, TypeError):
            return 0.0
    return float(view) if isinstance(view, int | float) else 0.0
