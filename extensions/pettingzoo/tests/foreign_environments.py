"""Environments that are not ours, in a package that is not ours."""

import sys
import types
from typing import ClassVar

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

HARVEST = "pettingzoo:theirs:harvest"


class Harvest(ParallelEnv):
    """Two pick from a heap that shrinks by dice; who picks last leaves. Not a matrix game."""

    metadata: ClassVar = {"name": "harvest"}

    def __init__(self, heap=6, space=None, reward=1.0, mask=False):
        self.possible_agents = ["left", "right"]
        self.heap, self.size, self.reward, self.mask = heap, heap, reward, mask
        self._space = space or Discrete(3, start=1)
        self._seen = Box(0, 99, (2,), np.float32)

    def action_space(self, agent):
        return self._space

    def observation_space(self, agent):
        return self._seen

    def reset(self, seed=None, options=None):
        self.agents, self.heap = list(self.possible_agents), self.size
        self.rng = np.random.default_rng(seed)
        return self._observe(), {a: {"mood": float("nan")} for a in self.agents}

    def step(self, actions):
        self.heap -= int(self.rng.integers(1, 3)) + len(actions)
        over = self.heap <= 0
        rewards = {a: self.reward * k * self.heap for a, k in actions.items()}
        told = dict.fromkeys(self.agents, over)
        seen, infos = self._observe(), {a: {} for a in self.agents}
        if over:
            self.agents = []
        return seen, rewards, told, dict.fromkeys(told, False), infos

    def _observe(self):
        seen = np.array([self.heap, self.size], np.float32)
        if self.mask:
            return {a: {"observation": seen, "action_mask": [1, 0, 1]} for a in self.agents}
        return dict.fromkeys(self.agents, seen)


class NoParallel:
    """Has nothing to do with it."""


class InTurn(AECEnv):
    """Three count up in turn, without masks; whoever says the sixth number has won."""

    metadata: ClassVar = {"name": "in_turn", "is_parallelizable": False}
    render_mode = None

    def __init__(self):
        super().__init__()
        self.possible_agents = ["a", "b", "c"]

    def action_space(self, agent):
        return Discrete(2)

    def observation_space(self, agent):
        return Discrete(10)

    def observe(self, agent):
        return self.said

    def reset(self, seed=None, options=None):
        self.agents, self.said = list(self.possible_agents), 0
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = "a"

    def step(self, action):
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0
        self.said += action
        won = self.said >= 6
        self.rewards = {a: int(won and a == self.agent_selection) for a in self.agents}
        self.terminations = dict.fromkeys(self.agents, won)
        at = self.possible_agents.index(self.agent_selection)
        self.agent_selection = self.possible_agents[(at + 1) % 3]
        self._accumulate_rewards()


def install(monkeypatch):
    """Have a package that is not ours, with environments in it, for one test."""
    module = types.ModuleType("theirs")
    module.ParallelEnv = ParallelEnv
    module.harvest = Harvest
    module.boxed = lambda: Harvest(space=Box(0, 1, (1,)))
    module.multi = lambda: Harvest(space=MultiDiscrete([2, 2]))
    module.priceless = lambda: Harvest(reward=float("nan"))
    module.masked = lambda: Harvest(mask=True)
    module.broken = lambda: 1 / 0
    module.other = NoParallel
    module.in_turn = InTurn
    module.at_once = lambda: parallel_to_aec(Harvest())
    monkeypatch.setitem(sys.modules, "theirs", module)
