"""Many raids played at once, turn by turn, on NumPy arrays.

A turn has the same result as `rules.resolve` has for one raid; tests compare the two results.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import lcm

import numpy as np

from shapley_coop.amounts import MICRO, exact
from shapley_coop.extensions.raid.batch import PASS, Ints, Mask
from shapley_coop.extensions.raid.rules import (
    FIREBALL,
    HEAL,
    SKILLS,
    TAUNT,
    RaidParams,
    team_reward,
)
from shapley_coop.games.turns import Position

CAST, MEND, TAUNTS = (SKILLS.index(skill) for skill in (FIREBALL, HEAL, TAUNT))

Rolls = Callable[[int, int, Mask], Ints]
"""(turn from 1, skill, who uses it) → rolled amounts, for each hero or for each raid and hero."""

_NO_HERO = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Raids:
    """The positions of K simulated raids; each array's first axis is the raid."""

    turn: int  # the number of turns played
    boss: Ints  # for each of the K raids: the hit points of its boss
    heroes: Ints  # for each raid and hero: the hero's hit points; 0 is dead
    cooldown: Ints  # for each raid and hero: the turns until Taunt is ready


class Battles:
    """Raids as a `Batch`; rewards are whole numbers, as multiples of 1/`unit`.

    Cost of a turn: about 40 array operations, and 6 for each hero that heals.
    """

    def __init__(self, params: RaidParams, rolls: Rolls) -> None:
        self._params, self._rolls = params, rolls
        rewards = (params.fireball_reward, params.heal_reward, params.taunt_reward)
        self.unit = lcm(MICRO, *(exact(x).denominator for x in rewards))
        self._paid = [int(exact(x) * self.unit) for x in rewards]

    def start(self, plays: int) -> Raids:
        """Return this many raids at the start, with every hero in full health."""
        full = np.full((plays, self._params.heroes), self._params.hero_hp, np.int64)
        return Raids(0, np.full(plays, self._params.boss_hp, np.int64), full, np.zeros_like(full))

    def at(self, position: Position, plays: int) -> Raids:
        """Return this many raids, all in the given position."""
        heroes = [position["heroes"][agent] for agent in self._params.agents]
        hp, cooldown = ([hero[key] for hero in heroes] for key in ("hp", "cooldown"))
        boss = np.full(plays, position["boss_hp"], np.int64)
        return Raids(
            position["turn"] - 1, boss, np.tile(hp, (plays, 1)), np.tile(cooldown, (plays, 1))
        )

    def over(self, world: Raids) -> Mask:
        """Return whether each raid is over: boss or heroes fell, or the turns are used up."""
        late = world.turn >= self._params.rounds
        return np.asarray((world.boss == 0) | ~world.heroes.any(axis=1) | late)

    def legal(self, world: Raids) -> Mask:
        """Return which skills are legal: none for dead heroes, and Taunt only if it is ready."""
        lives = (world.heroes > 0) & ~self.over(world)[:, None]
        return np.stack([lives, lives, lives & (world.cooldown == 0)], axis=2)

    def step(self, world: Raids, chosen: Ints) -> tuple[Raids, Ints]:
        """Play a turn, heroes in index order, then the boss; return new positions and rewards."""
        params, running = self._params, ~self.over(world)
        casts = chosen == CAST
        cast = casts * self._rolls(world.turn + 1, CAST, casts.any(axis=0))
        dealt = np.cumsum(cast, axis=1)
        # Actions after the killing blow have no effect.
        acts = (chosen != PASS) & (world.boss[:, None] > dealt - cast)
        boss, heroes = np.maximum(world.boss - dealt[:, -1], 0), world.heroes.copy()
        mends, taunts = acts & (chosen == MEND), _only_first(acts & (chosen == TAUNTS))
        self._mend(world.turn + 1, heroes, mends)
        _attack(params, heroes, (boss > 0) & running, taunts)
        cooldown = np.maximum(np.where(taunts, params.cooldown, world.cooldown) - 1, 0)
        after = Raids(world.turn + 1, boss, heroes, cooldown)
        earned = np.zeros((len(boss), params.heroes + 1), np.int64)
        for done, paid in zip((acts & casts, mends, taunts), self._paid, strict=True):
            if paid and done.any():
                earned[:, :-1] += done * paid
        ends = running & self.over(after)
        if ends.any():
            earned[:, -1] = self._team_rewards(after, ends)
        return after, earned

    def _mend(self, turn: int, heroes: Ints, mends: Mask) -> None:
        """Let each healer in order heal the weakest other living hero."""
        used = np.asarray(mends.any(axis=0))
        rolls = self._rolls(turn, MEND, used)
        for healer in np.flatnonzero(used):
            rows = np.flatnonzero(mends[:, healer])
            others = np.where(heroes[rows] > 0, heroes[rows], _NO_HERO)
            others[:, healer] = _NO_HERO
            weakest = others.argmin(axis=1)
            lowest = others[np.arange(len(rows)), weakest]
            some = lowest < _NO_HERO
            given = np.broadcast_to(rolls[..., healer], len(heroes))[rows]
            healed = np.minimum(lowest[some] + given[some], self._params.hero_hp)
            heroes[rows[some], weakest[some]] = healed

    def _team_rewards(self, after: Raids, ends: Mask) -> Ints:
        """Return the team's reward of each raid that ends now, and 0 for other raids."""
        won, dead = after.boss == 0, (after.heroes == 0).sum(axis=1)
        found = np.zeros(len(dead), np.int64)
        for turn, how in ((after.turn - 1, ends & won), (None, ends & ~won)):
            for fallen in np.unique(dead[how]):
                reward = team_reward(self._params, int(fallen), turn)
                found[how & (dead == fallen)] = reward * (self.unit // MICRO)
        return found


def _only_first(taunts: Mask) -> Mask:
    """Return each raid's first Taunt, the only Taunt that takes effect."""
    raid, first = np.arange(len(taunts)), taunts.argmax(axis=1)
    found = np.zeros_like(taunts)
    found[raid, first] = taunts[raid, first]
    return found


def _attack(params: RaidParams, heroes: Ints, stands: Mask, taunts: Mask) -> None:
    """Strike the taunter, or else the weakest heroes, in each raid in which the boss `stands`."""
    raid = np.arange(len(heroes))
    if taunts.any():
        heroes -= params.taunted_strike * (taunts & stands[:, None])
    free = stands & ~taunts.any(axis=1)
    standing = np.where(free[:, None] & (heroes > 0), heroes, _NO_HERO)
    for _ in range(min(params.targets, params.heroes)):
        weakest = standing.argmin(axis=1)
        heroes[raid, weakest] -= params.strike * (standing[raid, weakest] < _NO_HERO)
        standing[raid, weakest] = _NO_HERO
    np.maximum(heroes, 0, out=heroes)
