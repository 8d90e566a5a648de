"""What an agent can foresee of a raid: whom the boss will strike, who dies, what all earn.

Everything comes from the letter's facts. Dice are taken at their means. Two assumptions about minds
are declared here, and what a simulation shows follows from them:

*far-sighted*: who was asked to work out what all together can achieve foresees the play to its end,
the team's reward included, and proposes what is best for all.

*near-sighted*: who was not asked looks no further than the next death, counts its own rewards and
the turns it lives to earn more, and asks for help with its own death alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from deals import Deal, Do, Duty, Every, Forbid, Turns, duties
from games import Turn
from seats.embedded.outlook import Missing, Payoffs, settled

FIREBALL, HEAL, TAUNT = "Fireball", "Heal", "Taunt"
EPSILON = 1e-9


@dataclass
class Battle:
    """A raid as one agent pictures it."""

    boss: float
    hp: dict[str, float]
    wait: dict[str, int]  # turns until Taunt is ready

    @property
    def living(self) -> list[str]:
        return [agent for agent, hp in self.hp.items() if hp > 0]

    def copy(self) -> "Battle":
        return Battle(self.boss, dict(self.hp), dict(self.wait))
