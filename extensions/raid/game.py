"""Raid Battle: supporters earn less than attackers, but without support all heroes lose."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from shapley_coop.extensions.raid.conduct import RaidAnalysis
from shapley_coop.extensions.raid.foresight import RaidForesight
from shapley_coop.extensions.raid.rules import (
    FIREBALL,
    HEAL,
    SKILLS,
    TAUNT,
    RaidParams,
    is_over,
    opening,
    resolve,
    rolled,
)
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.baseline import IDLE, Baseline
from shapley_coop.games.game import Game
from shapley_coop.games.params import Params
from shapley_coop.games.turns import Position, Step, Turn

STANDS_IDLE = Baseline(IDLE, "an absent agent stands idle and can be struck")


class RaidBattle(Game):
    """Heroes must bring down a boss in time; support pays its giver less than damage does.

    The game is from Shapley-Coop, appendix B.1. With the defaults, heroes who only cast Fireball
    always lose (12 casts land, at most 1800 damage), and heroes who take turns to Taunt win. The
    team's reward is paid in the last turn and belongs to no single hero (the pot).
    """

    name = "raid_battle"
    Params: ClassVar[type[Params]] = RaidParams
    analysed_by: ClassVar[type[Analysis]] = RaidAnalysis
    foresight = RaidForesight
    params: RaidParams

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__(params, seed)
        self.actions = {agent: list(SKILLS) for agent in self.agents}

    def start(self) -> Position:
        """Return the start position, with every hero in full health."""
        return opening(self.params)

    def legal(self, position: Position, agent: str) -> list[str]:
        """Return the skills of a living hero; Taunt only if it is ready."""
        hero = position["heroes"][agent]
        if not hero["hp"] or self.over(position):
            return []
        return [skill for skill in SKILLS if skill != TAUNT or not hero["cooldown"]]

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Let heroes act in index order, then the boss. A hero without an action idles.

        A hero earns no own reward for a Taunt after another hero's Taunt, or for an action after
        the killing blow.
        """
        self.check(position, actions)
        roll = rolled(self.params, self.seed, int(position["turn"]))
        return resolve(self.params, position, actions, roll)

    def over(self, position: Position) -> bool:
        """Return whether the boss or all heroes have fallen, or the turns are used up."""
        return is_over(self.params, position)

    def default_baseline(self) -> Baseline:
        """Return the baseline: an absent hero idles, and can be struck."""
        return STANDS_IDLE

    def rules(self) -> str:
        """Return the rules: the order of acting, the skills, the boss, and the rewards."""
        p = self.params
        damage, healing = (f"{low} to {high}" for low, high in (p.damage, p.healing))
        return "\n".join(
            [
                f"**Raid Battle**. {p.heroes} heroes of {p.hero_hp} hit points (HP) fight a boss "
                f"of {p.boss_hp} HP, for at most {p.rounds} turns. All choose at once, "
                f"then act in the order {_listed(self.agents)}, then the boss strikes. The dead do "
                "nothing; acts after its fall earn nothing.",
                "",
                f"- {FIREBALL}: {damage} HP off the boss. Own reward {p.fireball_reward}.",
                f"- {HEAL}: {healing} HP, up to {p.hero_hp}, for the living other hero with the "
                f"lowest HP. Own reward {p.heal_reward}.",
                f"- {TAUNT}: the boss strikes you alone, for {p.taunted_strike} HP. Only the first "
                f"of a turn works; ready again {p.cooldown} turns later (`cooldown`). Own reward "
                f"{p.taunt_reward} if it works.",
                "",
                f"Untaunted, the boss takes {p.strike} HP off each of the {p.targets} living "
                "heroes with the lowest HP (of equals, the first). If it falls, the team "
                f"gets {p.win_reward} · (1 − dead / {p.heroes} − turns before / {p.rounds}), else "
                f"{p.loss_reward}: each the same part, unless you agree on a split.",
            ]
        )

    def also_called(self, action: str) -> Sequence[str]:
        """Return other words for a skill that is used on the boss."""
        return () if action == HEAL else [f"{action} {on} the boss" for on in ("on", "at")]

    def happened(self, turn: Turn) -> str:
        """Return in words the boss's damage, heroes healed, struck or killed, and the end."""
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
        """Return all numbers of the rules as JSON facts."""
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


GAME = RaidBattle
