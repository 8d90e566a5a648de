"""The rules of Raid Battle: its parameters, and the effects of a turn on heroes and boss."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, model_validator

from shapley_coop.amounts import MICRO, exact
from shapley_coop.games.dice import dice
from shapley_coop.games.params import GameError, Names, Number, Params
from shapley_coop.games.turns import Position, Step, Turn

FIREBALL, HEAL, TAUNT = "Fireball", "Heal", "Taunt"
SKILLS = (FIREBALL, HEAL, TAUNT)
LEVELS = {1: 2000, 2: 2500, 3: 3000}

CREDITED = {"damage": "damage", "healing": "healing", "redirection": "taunt"}
"""Effect → the kind of contribution to which its amount is added."""

Reward = Annotated[Number, Field(ge=-(10**9), le=10**9)]

Roll = Callable[[str, str], int]
"""(agent, skill) → the amount in hit points that the agent's dice give this turn."""


class RaidParams(Params):
    """The parameters of a raid; the defaults are those of Shapley-Coop's authors."""

    agents: Names = Field(
        default=[], description="The heroes' names, in acting order; by default Hero1, Hero2, …"
    )
    rounds: int = Field(default=10, ge=1, le=10_000, description="The most turns.")
    heroes: int = Field(default=4, ge=2, le=10_000, description="The number of heroes.")
    hero_hp: int = Field(
        default=400, ge=1, le=10**9, description="A hero's hit points at the start, and at most."
    )
    level: Literal[1, 2, 3] = Field(default=1, description="Boss hit points 2000, 2500 or 3000.")
    boss_hp: int = Field(
        default_factory=lambda given: LEVELS[given["level"]],
        ge=1,
        le=10**12,
        description="The boss's hit points; by default the level's.",
    )
    strike: int = Field(default=200, ge=0, le=10**9, description="The strike's damage to a target.")
    targets: int = Field(default=2, ge=1, description="Number of heroes struck, the weakest first.")
    taunted_strike: int = Field(
        default=100, ge=0, le=10**9, description="The strike's damage to a taunting hero."
    )
    damage: tuple[int, int] = Field(default=(100, 150), description="Fireball damage: from, to.")
    healing: tuple[int, int] = Field(default=(150, 200), description="A Heal's effect: from, to.")
    dice: Literal["uniform", "gaussian"] = Field(
        default="uniform", description="Uniform integers, or a Gaussian clipped to its range."
    )
    deviation: float = Field(
        default=0.25, gt=0, description="The Gaussian's standard deviation / width of its range."
    )
    cooldown: int = Field(default=3, ge=1, description="Turns until a Taunt can be used again.")
    fireball_reward: Reward = Field(default=2, description="The caster's reward for a Fireball.")
    heal_reward: Reward = Field(default=0.5, description="The healer's own reward for a Heal.")
    taunt_reward: Reward = Field(default=0.5, description="Reward for a Taunt that took effect.")
    win_reward: Reward = Field(
        default=100,
        description="Team reward for a victory, times (1 − dead/heroes − earlier turns/rounds).",
    )
    loss_reward: Reward = Field(default=-100, description="The team's reward if the boss survives.")
    worth: Literal["record", "contribution", "outcome"] = Field(  # type: ignore[assignment]
        default="record",
        description="The worth of a coalition: computed from its members' recorded actions, from "
        "their recorded contributions in hit points, or from whether they would win.",
    )
    _dice_keys: dict[str, str] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _party(self) -> "RaidParams":
        named = self.agents or [f"Hero{i}" for i in range(1, self.heroes + 1)]
        if "heroes" in self.model_fields_set and len(named) != self.heroes:
            raise ValueError(
                f"{len(named)} agents are named, but heroes is {self.heroes}: give only one of "
                "the two"
            )
        for low, high in (self.damage, self.healing):
            if not 0 <= low <= high <= 10**6:
                raise ValueError(f"dice from {low} to {high}: give 0 ≤ from ≤ to ≤ 1000000")
        self.agents, self.heroes = named, len(named)
        return self

    def dice_key(self, agent: str) -> str:
        """Return the key of an agent's dice: its place in order, so that renamed agents keep it."""
        if not self._dice_keys:
            seats = enumerate(self.agents, start=1)
            self._dice_keys = {hero: f"Hero{i}" for i, hero in seats}
        return self._dice_keys[agent]

    @property
    def redirected(self) -> int:
        """The damage that an effective Taunt saves the party: targets · strike − taunted_strike."""
        return self.targets * self.strike - self.taunted_strike


def opening(params: RaidParams) -> Position:
    """Return the start position, with every hero in full health."""
    hero = {"hp": params.hero_hp, "cooldown": 0}
    return {
        "turn": 1,
        "boss_hp": params.boss_hp,
        "heroes": {agent: dict(hero) for agent in params.agents},
    }


def rolled(params: RaidParams, seed: int, turn: int) -> Roll:
    """Return the dice of one turn; the dice of different agents are independent."""

    def roll(agent: str, skill: str) -> int:
        return int(drawn(params, dice(seed, turn, params.dice_key(agent)), skill))

    return roll


def drawn(
    params: RaidParams, own: np.random.Generator, skill: str, size: tuple[int, ...] = ()
) -> NDArray[np.int64]:
    """Return a skill's drawn amounts in hit points, with shape `size`."""
    low, high = params.healing if skill == HEAL else params.damage
    if params.dice == "uniform":
        return np.asarray(own.integers(low, high + 1, size=size), dtype=np.int64)
    found = own.normal((low + high) / 2, params.deviation * (high - low), size=size)
    return np.clip(np.rint(found), low, high).astype(np.int64)


def team_reward(params: RaidParams, dead: int, turn: int | None) -> int:
    """Return the team's reward in millionths.

    Args:
        params: the raid's parameters.
        dead: the number of fallen heroes.
        turn: the zero-based turn at which the boss fell; None if it did not.
    """
    if turn is None:
        return round(exact(params.loss_reward) * MICRO)
    part = 1 - Fraction(dead, params.heroes) - Fraction(turn, params.rounds)
    return round(exact(params.win_reward) * part * MICRO)


def is_over(params: RaidParams, position: Position) -> bool:
    """Return whether the boss or all heroes have fallen, or the turns are used up."""
    fallen = not any(hero["hp"] for hero in position["heroes"].values())
    return not position["boss_hp"] or fallen or int(position["turn"]) > params.rounds


def resolve(params: RaidParams, position: Position, actions: Mapping[str, str], roll: Roll) -> Step:
    """Return the result of one turn: heroes act in index order, then the boss.

    The position is not changed. Every effect is recorded, so that contributions follow from the
    record alone. Cost: linear in the heroes, except for Heals.
    """
    turn = _UnderWay(params, position, roll)
    for agent in params.agents:
        if agent in actions:
            turn.act(agent, actions[agent])
    turn.attack()
    return turn.close(int(position["turn"]))


def contributions(agents: Sequence[str], record: Sequence[Turn]) -> dict[str, dict[str, int]]:
    """Return agent → damage, nominal healing and redirected damage, from the record alone.

    The paper counts damage + healing + 300 for each redirected attack of the boss. A Taunt on the
    winning turn redirects nothing.
    """
    total = {agent: dict.fromkeys(CREDITED.values(), 0) for agent in agents}
    for turn in record:
        for effect in turn.get("effects", []):
            if kind := CREDITED.get(effect["effect"]):
                total[effect["agent"]][kind] += effect["amount"]
    return total


class _UnderWay:
    """A turn in progress, which changes copies of the position."""

    def __init__(self, params: RaidParams, position: Position, roll: Roll) -> None:
        self._params, self._roll = params, roll
        self._boss = int(position["boss_hp"])
        self._hp = {agent: int(h["hp"]) for agent, h in position["heroes"].items()}
        self._cooldown = {agent: int(h["cooldown"]) for agent, h in position["heroes"].items()}
        self._taunter: str | None = None
        self._rewards: dict[str, Number] = dict.fromkeys(params.agents, 0)
        self._effects: list[dict[str, Any]] = []

    def act(self, agent: str, skill: str) -> None:
        if not self._boss:
            self._note("too_late", agent=agent, action=skill)
        elif skill == FIREBALL:
            self._cast(agent)
        elif skill == HEAL:
            self._heal(agent)
        elif skill == TAUNT:
            self._taunt(agent)
        else:
            raise GameError(f"{skill!r} is not a skill: choose from {', '.join(SKILLS)}")

    def _cast(self, agent: str) -> None:
        amount = self._roll(agent, FIREBALL)
        self._boss = max(0, self._boss - amount)
        self._rewards[agent] = self._params.fireball_reward
        self._note("damage", agent=agent, amount=amount)

    def _heal(self, agent: str) -> None:
        self._rewards[agent] = self._params.heal_reward
        others = [a for a in self._living() if a != agent]
        if not others:
            self._note("no_target", agent=agent)
            return
        target = min(others, key=self._hp.__getitem__)
        amount = self._roll(agent, HEAL)
        healed = min(self._params.hero_hp, self._hp[target] + amount)
        gained, self._hp[target] = healed - self._hp[target], healed
        self._note("healing", agent=agent, target=target, amount=amount, effective=gained)

    def _taunt(self, agent: str) -> None:
        effective = self._taunter is None
        if effective:
            self._taunter = agent
            self._cooldown[agent] = self._params.cooldown
            self._rewards[agent] = self._params.taunt_reward
        self._note("taunt", agent=agent, effective=effective)

    def attack(self) -> None:
        if not self._boss:
            return
        if self._taunter is not None:
            self._note("redirection", agent=self._taunter, amount=self._params.redirected)
            struck, amount = [self._taunter], self._params.taunted_strike
        else:
            weakest = sorted(self._living(), key=self._hp.__getitem__)
            struck, amount = weakest[: self._params.targets], self._params.strike
        for target in struck:
            self._hp[target] = max(0, self._hp[target] - amount)
            self._note("strike", target=target, amount=amount)
        for target in struck:
            if not self._hp[target]:
                self._note("death", target=target)

    def close(self, turn: int) -> Step:
        heroes = {
            agent: {"hp": hp, "cooldown": max(0, self._cooldown[agent] - 1)}
            for agent, hp in self._hp.items()
        }
        position: Position = {"turn": turn + 1, "boss_hp": self._boss, "heroes": heroes}
        pot: Number = 0
        if is_over(self._params, position):
            dead = len(heroes) - len(self._living())
            won = not self._boss
            pot = team_reward(self._params, dead, turn - 1 if won else None) / MICRO
            self._note("won" if won else "lost", dead=dead)
        return Step(position, self._rewards, pot, self._effects)

    def _living(self) -> list[str]:
        return [agent for agent in self._params.agents if self._hp[agent]]

    def _note(self, effect: str, **what: Any) -> None:
        self._effects.append({"effect": effect, **what})
