"""Raid Battle: whoever supports the others earns less, and without support all of them lose."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shapley_coop.games.baseline import IDLE, Baseline
from shapley_coop.games.batch import Ints, Mask
from shapley_coop.games.game import Game
from shapley_coop.games.params import Params
from shapley_coop.games.raid_battle.ahead import RaidAhead
from shapley_coop.games.raid_battle.conduct import raid_replays, wins
from shapley_coop.games.raid_battle.rules import (
    FIREBALL,
    HEAL,
    SKILLS,
    TAUNT,
    RaidParams,
    contributions,
    is_over,
    opening,
    resolve,
    rolled,
)
from shapley_coop.games.replay import Conduct, Replays
from shapley_coop.games.turns import Position, Step, Turn

STANDS_IDLE = Baseline(IDLE, "an absent agent stands idle and can be struck")

TABLE_HEROES = 12
"""Up to here all 2**n coalitions are replayed at once when the first is asked for."""

Choices = tuple[tuple[str | None, ...], ...]
"""Turn by turn what each hero chose, in the order of the heroes; None is nothing."""

Worths = Callable[[Mask], Ints]


class RaidBattle(Game):
    """Heroes must bring down a boss in time; support pays its giver less than damage does.

    Shapley-Coop, appendix B.1. With the defaults all-Fireball always loses (12 casts land, at most
    1800 damage) and taking turns to Taunt wins. The team's reward is the pot of the last turn.
    """

    name = "raid_battle"
    Params: ClassVar[type[Params]] = RaidParams
    params: RaidParams

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__(params, seed)
        self.actions = {agent: list(SKILLS) for agent in self.agents}
        self._replays = lru_cache(maxsize=4)(self._prepare)

    def start(self) -> Position:
        """Return every hero in full health."""
        return opening(self.params)

    def legal(self, position: Position, agent: str) -> list[str]:
        """The dead can do nothing; Taunt has to be ready."""
        hero = position["heroes"][agent]
        if not hero["hp"] or self.over(position):
            return []
        return [skill for skill in SKILLS if skill != TAUNT or not hero["cooldown"]]

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Heroes in index order, then the boss. A hero without an action idles.

        Own rewards go to whoever really acted: nothing for a Taunt beside an earlier one, nothing
        for what comes after the killing blow.
        """
        self.check(position, actions)
        roll = rolled(self.params, self.seed, int(position["turn"]))
        return resolve(self.params, position, actions, roll)

    def over(self, position: Position) -> bool:
        """The boss has fallen, or all heroes have, or time is up."""
        return is_over(self.params, position)

    def default_baseline(self) -> Baseline:
        """Return the baseline: who is absent stands idle, and can be struck."""
        return STANDS_IDLE

    def repeated(self, did: Conduct) -> Replays:
        """Many raids side by side; other baselines than standing idle are played step by step."""
        if self.baseline.kind != "idle":
            return super().repeated(did)
        return raid_replays(self.params, self.seed, did)

    def ahead(self) -> RaidAhead:
        """Many raids side by side."""
        return RaidAhead(self)

    def worth(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """v(C), by the parameter `worth`.

        record: as in every game: own rewards and the team's, where the members of C repeat their
        conduct and all others stand idle, less what there is if all do.

        contribution: damage + healing + redirected damage of the members, in hit points; v(∅) = 0.

        outcome: 1 if the replay that ends with the record is won, else 0. Not monotone in general:
        whom a Heal or a strike goes to depends on all heroes.
        """
        if self.params.worth == "record":
            return super().worth(record, coalition)
        row = np.array([[agent in coalition for agent in self.agents]])
        return Fraction(int(self._worths(record)(row)[0]))

    @property
    def credit_rule(self) -> str:
        """The parameter `worth`."""
        return self.params.worth

    def batch_worth(self, record: Sequence[Turn]) -> Callable[[Mask], NDArray[np.float64]]:
        """`worth` of many coalitions at once: from shape (m, n) to shape (m,)."""
        if self.params.worth == "record":
            return super().batch_worth(record)
        worths = self._worths(record)
        return lambda coalitions: worths(coalitions).astype(np.float64)

    def _worths(self, record: Sequence[Turn]) -> Worths:
        if self.params.worth == "contribution":
            found = contributions(self.agents, record)
            amounts = np.array([sum(found[agent].values()) for agent in self.agents])
            return lambda members: members @ amounts
        choices = tuple(
            tuple(turn["actions"].get(agent) for agent in self.agents) for turn in record
        )
        return self._replays(choices)

    def _prepare(self, choices: Choices) -> Worths:
        def replay(members: Mask) -> Ints:
            return wins(self.params, self.seed, choices, members).astype(np.int64)

        n = len(self.agents)
        if n > TABLE_HEROES:
            return replay
        bits = 1 << np.arange(n)
        table = replay((np.arange(1 << n)[:, None] & bits).astype(bool))
        return lambda members: table[members @ bits]

    def rules(self) -> str:
        """Skills, boss, order, rewards."""
        p = self.params
        damage, healing = (f"{low} to {high}" for low, high in (p.damage, p.healing))
        return "\n".join(
            [
                f"**Raid Battle**. {p.heroes} heroes of {p.hero_hp} hit points (HP) fight a boss "
                f"of {p.boss_hp} HP, for at most {p.rounds} turns. All choose at the same time, "
                f"then act in the order {_listed(self.agents)}, then the boss strikes. The dead do "
                "nothing.",
                "",
                f"- {FIREBALL}: {damage} HP off the boss. Own reward {p.fireball_reward}.",
                f"- {HEAL}: {healing} HP, up to {p.hero_hp}, for the living other hero with the "
                f"lowest HP. Own reward {p.heal_reward}.",
                f"- {TAUNT}: the boss strikes you alone, for {p.taunted_strike} HP. Only the first "
                f"of a turn works; ready again {p.cooldown} turns later (`cooldown`). Own reward "
                f"{p.taunt_reward} if it works.",
                "",
                f"Untaunted, the boss takes {p.strike} HP off each of the {p.targets} living "
                "heroes with the lowest HP (of equals, the first in order). If it falls, the team "
                f"gets {p.win_reward} · (1 − dead / {p.heroes} − turns before / {p.rounds}), else "
                f"{p.loss_reward}: each the same part, unless you agree on a split.",
            ]
        )

    def happened(self, turn: Turn) -> str:
        """Return what the boss lost, whom a Heal, a strike or death met, and how it ended."""
        told: dict[str, list[str]] = {"healing": [], "strike": [], "death": []}
        damage, end = 0, []
        for effect in turn.get("effects", []):
            match effect["effect"]:
                case "damage":
                    damage += effect["amount"]
                case "healing":
                    told["healing"].append(f"{effect['target']} +{effect['effective']} HP")
                case "strike":
                    told["strike"].append(f"{effect['target']} −{effect['amount']} HP")
                case "death":
                    told["death"].append(f"{effect['target']} dies")
                case "won" | "lost":
                    end.append(f"the fight is {effect['effect']}")
        return ", ".join([f"boss −{damage} HP", *(x for xs in told.values() for x in xs), *end])

    def facts(self) -> dict[str, Any]:
        """Return every number of the rules."""
        p = self.params
        return {
            "game": self.name,
            "agents": list(self.agents),
            "actions": self.actions,
            "turns": p.rounds,
            "heroes": {"hp": p.hero_hp},
            "boss": {
                "hp": p.boss_hp,
                "strike": p.strike,
                "targets": p.targets,
                "taunted_strike": p.taunted_strike,
            },
            "skills": {
                FIREBALL: {"damage": list(p.damage)},
                HEAL: {"healing": list(p.healing)},
                TAUNT: {"cooldown": p.cooldown, "redirects": p.redirected},
            },
            "rewards": {
                FIREBALL: p.fireball_reward,
                HEAL: p.heal_reward,
                TAUNT: p.taunt_reward,
            },
            "team_reward": {"win": p.win_reward, "loss": p.loss_reward},
        }


def _listed(agents: Sequence[str]) -> str:
    shown = agents if len(agents) <= 8 else [*agents[:3], "…", agents[-1]]
    return ", ".join(shown)
