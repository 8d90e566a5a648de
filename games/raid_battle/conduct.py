"""Raids side by side: many coalitions repeat their conduct on the same dice, all others stand idle.

The rules of `games.replay` in arrays. A hero that is alive where it was dead in the record, whose
Taunt is not ready, or whose record is over goes through its own recorded turns again and takes the
next that it can. What each hero earns and the pot are kept apart.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import MICRO, exact
from shapley_coop.games.raid_battle.replay import IDLE, Coalitions, Ints, attack, only_first
from shapley_coop.games.raid_battle.rules import (
    FIREBALL,
    HEAL,
    SKILLS,
    TAUNT,
    RaidParams,
    rolled,
    team_reward,
)
from shapley_coop.games.replay import COULD_NOT, Conduct, Replays

MOST_AGENTS = 16
CELLS = 1 << 15
"""Coalitions × heroes at once: arrays of so many numbers stay in the processor's cache."""
CASTS, HEALS, TAUNTS = (SKILLS.index(skill) for skill in (FIREBALL, HEAL, TAUNT))
OFF = IDLE + 1
"""A turn in which a hero could do nothing."""
_NO_HERO = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Plan:
    """What each hero repeats, as arrays.

    Attributes:
        skills: shape (turns, n): indices of SKILLS, IDLE or OFF.
        own: shape (n, most): each hero's recorded turns without OFF, in order.
        counts: shape (n,): how many these are; 0 where a hero does not go on through them.
        ready: shape (n, most): from an index to the next that needs no Taunt, −1 if there is none.
        stopped: whether every replay ends with the record.
    """

    skills: Ints
    own: Ints
    counts: Ints
    ready: Ints
    stopped: bool


def raid_replays(params: RaidParams, seed: int, did: Conduct) -> Replays:
    """Return what every hero and the team earn in the raid of any coalition.

    Cost: about 40 array operations a turn, and 6 for each hero that heals in it.
    """
    plan, agents = _plan(params, did), tuple(params.agents)
    paid = [exact(x) for x in (params.fireball_reward, params.heal_reward, params.taunt_reward)]
    unit = lcm(MICRO, *(x.denominator for x in paid))
    dice = _Dice(params, seed)
    replayed = np.array([agent in did.replayed for agent in agents])

    def earned(members: Coalitions) -> NDArray[Any]:
        at_once = max(1, CELLS // len(agents))
        parts = np.array_split(members, max(1, -(-len(members) // at_once)))
        return np.concatenate(
            [RaidsUnderWay(params, plan, dice, part & replayed, paid, unit).run() for part in parts]
        )

    return Replays(agents, earned, unit, MOST_AGENTS)


def _plan(params: RaidParams, did: Conduct) -> Plan:
    rows = [
        [OFF if x is COULD_NOT else IDLE if x is None else SKILLS.index(x) for x in schedule]
        for schedule in (did.schedules[agent] for agent in params.agents)
    ]
    recorded = [[skill for skill in row if skill != OFF] for row in rows]
    most = max(1, *map(len, recorded))
    own = np.full((len(rows), most), IDLE, dtype=np.int64)
    ready = np.full((len(rows), most), -1, dtype=np.int64)
    for i, skills in enumerate(recorded):
        own[i, : len(skills)] = skills
        for k in range(len(skills)):
            round_ = (j % len(skills) for j in range(k, k + len(skills)))
            ready[i, k] = next((j for j in round_ if skills[j] != TAUNTS), -1)
    counts = np.array([len(x) if did.goes_on else 0 for x in recorded], dtype=np.int64)
    turns = np.array(rows, dtype=np.int64).reshape(len(rows), -1).T
    return Plan(turns, own, counts, ready, did.stopped)


class Rolls(Protocol):
    """What heroes roll at a turn."""

    def row(self, turn: int, skill: int, used: NDArray[np.bool_]) -> Ints:
        """Shape (n,), or (m, n) where each raid has dice of its own."""
        ...


class _Dice:
    """What each hero rolls, worked out when it is first needed."""

    def __init__(self, params: RaidParams, seed: int) -> None:
        self._params, self._seed = params, seed
        self._known: dict[tuple[int, int, int], int] = {}

    def row(self, turn: int, skill: int, used: NDArray[np.bool_]) -> Ints:
        """Shape (n,): what a skill gives at a turn to each hero that uses it in some raid."""
        found = np.zeros(self._params.heroes, dtype=np.int64)
        for i in np.flatnonzero(used):
            key = (turn, skill, int(i))
            if key not in self._known:
                roll = rolled(self._params, self._seed, turn)
                self._known[key] = roll(self._params.agents[i], SKILLS[skill])
            found[i] = self._known[key]
        return found


class RaidsUnderWay:
    """m raids under way."""

    def __init__(
        self,
        params: RaidParams,
        plan: Plan,
        dice: "Rolls",
        members: Coalitions,
        paid: list[Fraction],
        unit: int,
    ) -> None:
        m, n = members.shape
        self._params, self._plan, self._dice, self._members = params, plan, dice, members
        self._cast, self._heal, self._taunt = (int(x * unit) for x in paid)
        self._per_micro = unit // MICRO
        self._boss = np.full(m, params.boss_hp, dtype=np.int64)
        self._heroes = np.full((m, n), params.hero_hp, dtype=np.int64)
        self._cooldown = np.zeros((m, n), dtype=np.int64)
        self._cursor = np.zeros((m, n), dtype=np.int64)
        self._earned = np.zeros((m, n + 1), dtype=np.int64)
        self._over = np.zeros(m, dtype=np.bool_)

    def run(self) -> Ints:
        """Shape (m, n + 1): what each hero earned, and the pot."""
        last = len(self._plan.skills) if self._plan.stopped else self._params.rounds
        for t in range(last):
            if self._over.all():
                break
            self._step(t)
        return self._earned

    def _step(self, t: int) -> None:
        running = ~self._over
        active = (self._heroes > 0) & self._members & running[:, None]
        skills = np.where(active, self._chosen(t), IDLE)
        casts = skills == CASTS
        cast = casts * self._dice.row(t + 1, CASTS, casts.any(axis=0))
        dealt = np.cumsum(cast, axis=1)
        # Whoever comes after the killing blow is late.
        acts = (skills != IDLE) & (self._boss[:, None] > dealt - cast)
        self._boss = np.maximum(self._boss - dealt[:, -1], 0)
        heals, taunts = acts & (skills == HEALS), only_first(acts & (skills == TAUNTS))
        self._mend(t, heals)
        attack(self._params, self._heroes, (self._boss > 0) & running, taunts)
        self._cooldown[taunts] = self._params.cooldown
        np.maximum(self._cooldown - 1, 0, out=self._cooldown)
        own = self._earned[:, :-1]
        for done, paid in (
            (acts & casts, self._cast),
            (heals, self._heal),
            (taunts, self._taunt),
        ):
            if paid and done.any():
                own += done * paid
        self._close(t)

    def _chosen(self, t: int) -> Ints:
        """Each hero's skill: as recorded, else the next of its own turns that it can repeat."""
        plan, (m, n) = self._plan, self._heroes.shape
        done = plan.skills[t] if t < len(plan.skills) else np.full(n, OFF, dtype=np.int64)
        some = np.flatnonzero((done == OFF) | (done == TAUNTS))  # the heroes that may do another
        cooling = self._cooldown[:, some] > 0
        off = (done[some] == OFF) | cooling
        skills = np.broadcast_to(done, (m, n))
        if not off.any():
            return skills
        other, cursor = np.where(off, IDLE, done[some]), self._cursor[:, some]
        moved = off & (plan.counts[some] > 0) & self._members[:, some] & (self._heroes[:, some] > 0)
        if moved.any():
            at = np.where(cooling, plan.ready[some, cursor], cursor)
            found = moved & (at >= 0)
            other = np.where(found, plan.own[some, at], other)
            after = np.where(at + 1 < plan.counts[some], at + 1, 0)
            self._cursor[:, some] = np.where(found, after, cursor)
        skills = skills.copy()
        skills[:, some] = other
        return skills

    def _mend(self, t: int, heals: Coalitions) -> None:
        used = np.asarray(heals.any(axis=0))
        rolls = self._dice.row(t + 1, HEALS, used)
        for healer in np.flatnonzero(used):
            rows = np.flatnonzero(heals[:, healer])
            heroes = self._heroes[rows]
            others = np.where(heroes > 0, heroes, _NO_HERO)
            others[:, healer] = _NO_HERO
            weakest = others.argmin(axis=1)
            lowest = others[np.arange(len(rows)), weakest]
            some = lowest < _NO_HERO
            given = np.broadcast_to(rolls[..., healer], len(self._heroes))[rows]
            healed = np.minimum(lowest[some] + given[some], self._params.hero_hp)
            self._heroes[rows[some], weakest[some]] = healed

    def _close(self, t: int) -> None:
        params = self._params
        won, dead = self._boss == 0, (self._heroes == 0).sum(axis=1)
        lost = ~won & ((dead == params.heroes) | (t + 1 >= params.rounds))
        ends = (won | lost) & ~self._over
        for turn, how in ((t, ends & won), (None, ends & ~won)):
            for fallen in np.unique(dead[how]):
                reward = team_reward(params, int(fallen), turn) * self._per_micro
                self._earned[how & (dead == fallen), -1] = reward
        self._over |= ends
