"""Any PettingZoo environment as a game: `pettingzoo:package.module:factory`.

In a non-parallelizable `AECEnv` one agent acts per turn; in all other environments all agents act.

An environment has mutable state, but a game is pure. So a position is the list of actions since the
reset, and the environment reaches a position by replaying these actions from the seed. The
environment stays at the latest position, so the next turn costs one step.
"""

import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import RLock
from typing import Any, ClassVar

from pydantic import ConfigDict, Field, ValidationError

from shapley_coop.extensions.pettingzoo.analysis import PettingZooAnalysis
from shapley_coop.extensions.pettingzoo.factory import made, refused
from shapley_coop.extensions.pettingzoo.facts import as_number, as_plain
from shapley_coop.extensions.pettingzoo.trials import Trials, try_out
from shapley_coop.extras import require_extra
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.game import Game
from shapley_coop.games.matrix import MatrixGame
from shapley_coop.games.params import GameError, Params
from shapley_coop.games.turns import Position, Step
from shapley_coop.invalid import first_error

with require_extra("pettingzoo", "an environment of PettingZoo"):
    from gymnasium.spaces import Discrete
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

MAX_RULES = 8_000

OWN_REWARDS = Baseline(
    "nothing",
    "an absent agent is left out: each agent has its own rewards, whatever others did",
    warning="the environment declares no baseline: give one with --absent, an action or random, "
    "before a norm can be signed",
)


class PettingZooParams(Params):
    """The parameters of an environment; parameters not listed here go to its factory."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)

    factory: str = Field(description="package.module:factory of a ParallelEnv or an AECEnv.")
    agents: list[str] = Field(default=[], description="Names to use instead of the environment's.")
    rounds: int = Field(default=100, ge=1, le=10_000, description="The most turns of a play.")
    actions: list[str] = Field(default=[], description="Names of the actions instead of 0, 1, …")


class PettingZooGame(Game):
    """The game of a PettingZoo environment with discrete actions.

    Rewards are the environment's own. An agent that takes no action ends the play, because the
    environment needs all actions and no default action is assumed.
    """

    name = "pettingzoo"
    Params: ClassVar[type[Params]] = PettingZooParams
    analysed_by: ClassVar[type[Analysis]] = PettingZooAnalysis
    params: PettingZooParams

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__(params, seed)
        self._lock = RLock()
        self._env = made(self.params.factory, self.params.model_extra or {})
        own = list(self._env.possible_agents)
        self.agents = tuple(self.params.agents or own)
        if len(self.agents) != len(own):
            raise self._refused(f"it has {len(own)} agents, but {len(self.agents)} names are given")
        self._check_names()
        self._own = dict(zip(self.agents, own, strict=True))
        self._spaces = {agent: self._space(agent) for agent in self.agents}
        self.actions = {agent: self._names(agent) for agent in self.agents}
        self._at: list[list[int]] | None = None
        self._seen: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {})

    def summary(self) -> str:
        """Return the factory's name and the number of agents."""
        return f"{self.params.factory}, a PettingZoo environment for {len(self.agents)} agents."

    @property
    def turns(self) -> int:
        """The number of turns, if all trials were equally long; else the parameter `rounds`."""
        return self.trials.turns or self.params.rounds

    @cached_property  # trials play the environment, which costs time
    def trials(self) -> Trials:
        """The results of plays on other seeds: a play's length, and fixed payoffs if any."""
        with self._lock:
            self._at = None
            return try_out(self._env, list(self._own.values()), self.params.rounds)

    @cached_property  # the worth of every coalition reads this table
    def stage(self) -> MatrixGame | None:
        """The environment as a repeated matrix game, or None if its payoffs are not fixed."""
        if not (tried := self.trials.pays):
            return None
        payoffs = [{"play": self._named(play), "pays": pays} for play, pays in tried.items()]
        table = {"name": self.params.factory, "agents": list(self.agents), "actions": self.actions}
        return MatrixGame({**table, "payoffs": payoffs, "rounds": self.turns})

    def start(self) -> Position:
        """Return the position after a reset with the game's seed."""
        with self._lock:
            return self._position([], over=not self._bring_to([]))

    def view(self, position: Position, agent: str) -> dict[str, Any]:
        """Return the number of the turn, and the agent's own observation and infos."""
        with self._lock:
            self._bring_to(position["history"])
            observations, infos = self._seen
            own, seen = self._own[agent], {"turn": position["turn"]}
            if own in observations:
                seen["observation"] = as_plain(observations[own])
            if infos.get(own):
                seen["infos"] = as_plain(infos[own])
            return seen

    def legal(self, position: Position, agent: str) -> list[str]:
        """Return the agent's actions, without those that an `action_mask` forbids now."""
        return list(position["legal"].get(agent, []))

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Take one step of the environment.

        Raises:
            GameError: an action is not legal, or a reward is not a finite number.
        """
        self.check(position, actions)
        nothing = dict.fromkeys(self.agents, 0)
        if idle := [a for a in position["legal"] if a not in actions]:
            ended = {**position, "turn": position["turn"] + 1, "legal": {}, "over": True}
            effects = [{"effect": "idle", "agent": agent} for agent in idle]
            return Step(ended, dict(nothing), effects=[*effects, {"effect": "ended_by_idling"}])
        with self._lock:
            self._bring_to(position["history"])
            joint = [self.actions[a].index(actions[a]) if a in actions else -1 for a in self.agents]
            paid = self._play(joint)
            history = [*position["history"], joint]
            self._at = history
            after = self._position(history, over=not self._env.agents)
        rewards = {
            agent: as_number(paid.get(own, 0), self.params.factory)
            for agent, own in self._own.items()
        }
        return Step(after, rewards)

    def over(self, position: Position) -> bool:
        """Return whether all agents are done, or the last round is over."""
        return bool(position["over"]) or int(position["turn"]) > self.params.rounds

    def default_baseline(self) -> Baseline:
        """Return the baseline: an action named noop, else the matrix game's baseline, else none.

        `--set absent=` overrides the baseline with an action or `random`.
        """
        for name in ("noop", "no-op", "no_op"):
            if all(name in acts for acts in self.actions.values()):
                all_do = dict.fromkeys(self.agents, name)
                return Baseline("actions", f"an absent agent plays {name}", all_do)
        return self.stage.default_baseline() if self.stage else OWN_REWARDS

    def rules(self) -> str:
        """Return the environment's own documentation."""
        inner = getattr(self._env.unwrapped, "aec_env", self._env).unwrapped
        module = sys.modules[type(inner).__module__]
        documented = (module.__doc__ or type(inner).__doc__ or "It is not documented.").strip()
        return (
            f"**{self.params.factory}**, an environment of PettingZoo. You choose "
            f"{'one after the other' if self._in_turns else 'at the same time'}, for at most "
            f"{self.turns} turns.\n\n{documented[:MAX_RULES]}"
        )

    def facts(self) -> dict[str, Any]:
        """Return agents, actions and turns, and the payoffs if trials found fixed payoffs."""
        facts: dict[str, Any] = {
            "agents": list(self.agents),
            "actions": self.actions,
            "turns": self.turns,
        }
        if self.stage:
            tried = f"tried {self.trials.times} times or more on other seeds: always the same"
            facts |= {"payoffs": self.stage.facts()["payoffs"], "payoffs_found_by": tried}
        return facts

    @property
    def _in_turns(self) -> bool:
        """Whether only one agent acts in each turn."""
        return isinstance(self._env, turn_based_aec_to_parallel_wrapper)

    def _space(self, agent: str) -> Discrete:
        space = self._env.action_space(self._own[agent])
        if not isinstance(space, Discrete):
            raise self._refused(
                f"{agent} acts in {space}: only Discrete actions can be named in a letter; "
                "wrap the environment in a factory that makes them so"
            )
        return space

    def _check_names(self) -> None:
        """Refuse invalid names of agents, which are known only after the environment is made."""
        try:
            Params(agents=list(self.agents))
        except ValidationError as error:
            reason = first_error(error).reason
            raise self._refused(f"{reason}; name the agents with the parameter agents") from None

    def _named(self, joint: tuple[int, ...]) -> list[str]:
        return [self.actions[agent][k] for agent, k in zip(self.agents, joint, strict=True)]

    def _names(self, agent: str) -> list[str]:
        space, named = self._spaces[agent], self.params.actions
        count, first = int(space.n), int(space.start)
        if named and (len(named) != count or len(set(named)) < count):
            raise self._refused(f"{agent} has {count} actions, but {named} names are given")
        return list(named) or [str(first + k) for k in range(count)]

    def _bring_to(self, history: list[list[int]]) -> bool:
        """Bring the environment to a position (`history`); return whether the play goes on."""
        at = self._at
        if at is None or at != history[: len(at)]:
            self._seen = self._env.reset(seed=self.seed % 2**32)
            at = []
        for joint in history[len(at) :]:
            self._play(joint)
        self._at = history
        return bool(self._env.agents)

    def _play(self, joint: list[int]) -> Mapping[str, Any]:
        self._at = None  # the position is unknown if the step fails; else the caller sets it
        chosen = {
            self._own[agent]: int(self._spaces[agent].start) + k
            for agent, k in zip(self.agents, joint, strict=True)
            if k >= 0
        }
        observations, rewards, _, _, infos = self._env.step(chosen)
        self._seen = observations, infos
        return dict(rewards)

    def _position(self, history: list[list[int]], over: bool) -> Position:
        legal = {agent: self._legal_now(agent) for agent in self.agents if not over}
        return {
            "turn": len(history) + 1,
            "history": history,
            "legal": {agent: names for agent, names in legal.items() if names},
            "over": over,
        }

    def _legal_now(self, agent: str) -> Sequence[str]:
        own, (observations, infos) = self._own[agent], self._seen
        waits = self._in_turns and own != self._env.aec_env.agent_selection
        if waits or own not in self._env.agents:
            return []
        seen = observations.get(own)
        mask = seen.get("action_mask") if isinstance(seen, Mapping) else None
        mask = infos.get(own, {}).get("action_mask") if mask is None else mask
        if mask is None:
            return self.actions[agent]
        return [name for name, free in zip(self.actions[agent], mask, strict=True) if free]

    def _refused(self, reason: str) -> GameError:
        return refused(self.params.factory, reason)
