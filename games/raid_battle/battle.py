"""A raid as an agent pictures it, from the numbers in its letter: dice at their means."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from shapley_coop.games.raid_battle.rules import FIREBALL, HEAL, TAUNT


@dataclass(frozen=True)
class Numbers:
    """What the letter says of the battle's rules."""

    FACTS: ClassVar = ("agents", "turns", "heroes", "boss", "skills", "rewards", "team_reward")

    agents: list[str]
    turns: int
    full: float
    strike: float
    targets: int
    taunted_strike: float
    damage: float  # of a Fireball, mean
    healing: float  # of a Heal, mean
    cooldown: int
    rewards: dict[str, float]
    win: float
    loss: float

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Numbers":
        """Read them."""
        boss, skills = facts["boss"], facts["skills"]
        return cls(
            agents=list(facts["agents"]),
            turns=int(facts["turns"]),
            full=facts["heroes"]["hp"],
            strike=boss["strike"],
            targets=boss["targets"],
            taunted_strike=boss["taunted_strike"],
            damage=sum(skills[FIREBALL]["damage"]) / 2,
            healing=sum(skills[HEAL]["healing"]) / 2,
            cooldown=skills[TAUNT]["cooldown"],
            rewards={skill: float(x) for skill, x in facts["rewards"].items()},
            win=facts["team_reward"]["win"],
            loss=facts["team_reward"]["loss"],
        )

    def team_reward(self, battle: "Battle", turn: int) -> float:
        """What the team earns if the battle ends like this, at `turn`, from 1.

        The dice may end it earlier or later than their means do: the part of the last turn that
        the boss's last hit points take counts, so that every Fireball brings the end nearer.
        """
        if battle.boss > 0:
            return self.loss
        before = turn - 1 + battle.last_part - 0.5
        dead = len(self.agents) - len(battle.living)
        return self.win * (1 - dead / len(self.agents) - before / self.turns)


@dataclass
class Battle:
    """How things stand; `fight` moves it on by a turn."""

    boss: float
    hp: dict[str, float]
    wait: dict[str, int]  # turns until Taunt is ready
    last_part: float = 0.0  # of its last turn's Fireballs, as many as it took

    @classmethod
    def of(cls, position: Mapping[str, Any]) -> "Battle":
        """Read the letter's position."""
        heroes = position["heroes"]
        return cls(
            float(position["boss_hp"]),
            {agent: float(hero["hp"]) for agent, hero in heroes.items()},
            {agent: int(hero["cooldown"]) for agent, hero in heroes.items()},
        )

    @property
    def living(self) -> list[str]:
        """Who stands."""
        return [agent for agent, hp in self.hp.items() if hp > 0]

    @property
    def over(self) -> bool:
        """Whether one side has fallen."""
        return self.boss <= 0 or not self.living

    def copy(self) -> "Battle":
        """Another one like this."""
        return Battle(self.boss, dict(self.hp), dict(self.wait))

    def fight(self, numbers: Numbers, play: Mapping[str, str]) -> dict[str, float]:
        """One turn: heroes in order, then the boss. Returns everybody's own reward.

        Nobody can tell whose Fireball will be the last: of the last turn all earn the part that it
        takes.
        """
        rewards, stood = dict.fromkeys(self.hp, 0.0), self.boss
        taunter: str | None = None
        for agent, skill in play.items():
            if skill == TAUNT and taunter is not None:
                continue
            rewards[agent] = numbers.rewards[skill]
            if skill == FIREBALL:
                self.boss -= numbers.damage
            elif skill == HEAL:
                self._heal(numbers, agent)
            else:
                taunter, self.wait[agent] = agent, numbers.cooldown
        if self.boss > 0:
            self._strike(numbers, taunter)
        else:
            self.last_part = stood / (stood - self.boss)
            rewards = {agent: self.last_part * reward for agent, reward in rewards.items()}
        self.wait = {agent: max(0, wait - 1) for agent, wait in self.wait.items()}
        return rewards

    def threatened(self, numbers: Numbers) -> list[str]:
        """Whom the boss strikes if nobody taunts: the weakest, of equals the first."""
        return sorted(self.living, key=self.hp.__getitem__)[: numbers.targets]

    def _heal(self, numbers: Numbers, healer: str) -> None:
        others = [agent for agent in self.living if agent != healer]
        if others:
            weakest = min(others, key=self.hp.__getitem__)
            self.hp[weakest] = min(numbers.full, self.hp[weakest] + numbers.healing)

    def _strike(self, numbers: Numbers, taunter: str | None) -> None:
        if taunter is not None:
            self.hp[taunter] = max(0.0, self.hp[taunter] - numbers.taunted_strike)
            return
        for target in self.threatened(numbers):
            self.hp[target] = max(0.0, self.hp[target] - numbers.strike)
