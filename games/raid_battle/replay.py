"""Many raids side by side: a finished record replayed for many coalitions at once.

The members of a coalition repeat what they are recorded to have chosen, on the same dice; all
else stands there, idle, and can be struck. A member that is dead in the replay skips its choices,
and so does one whose Taunt is not ready there, because an earlier one that was in vain in the
record took effect. One that outlives its recorded death idles: it has chosen nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shapley_coop.games.raid_battle.rules import (
    FIREBALL,
    HEAL,
    SKILLS,
    TAUNT,
    RaidParams,
    rolled,
)

Coalitions = NDArray[np.bool_]
"""Shape (m, n): row k holds hero i or does not."""

Ints = NDArray[np.int64]

Choices = tuple[tuple[str | None, ...], ...]
"""Turn by turn what each hero chose, in the order of the heroes; None is nothing."""

IDLE = len(SKILLS)
_NO_HERO = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Script:
    """A record as arrays."""

    skills: Ints  # shape (turns, n): indices of SKILLS, or IDLE
    rolls: Ints  # shape (turns, n): what the dice give to whoever casts or heals


@dataclass(frozen=True, eq=False)
class Raids:
    """Where m raids stand."""

    boss: Ints  # shape (m,): hit points of each raid's boss
    heroes: Ints  # shape (m, n): hit points; 0 is dead
    cooldown: Ints  # shape (m, n): turns until Taunt is ready


def script(params: RaidParams, seed: int, choices: Choices) -> Script:
    """Return the record of a raid that began at turn 1, with its dice. Cost: 10 μs a roll."""
    rolls = np.zeros((len(choices), params.heroes), dtype=np.int64)
    for t, chosen in enumerate(choices):
        roll = rolled(params, seed, t + 1)
        for i, skill in enumerate(chosen):
            if skill in (FIREBALL, HEAL):
                rolls[t, i] = roll(params.agents[i], skill)
    skills = [[SKILLS.index(skill) if skill else IDLE for skill in turn] for turn in choices]
    return Script(np.array(skills, dtype=np.int64).reshape(rolls.shape), rolls)


def openings(params: RaidParams, m: int) -> Raids:
    """m raids before their first turn."""
    full = np.full((m, params.heroes), params.hero_hp, dtype=np.int64)
    return Raids(np.full(m, params.boss_hp, dtype=np.int64), full, np.zeros_like(full))


def step(params: RaidParams, raids: Raids, skills: Ints, rolls: Ints, members: Coalitions) -> Raids:
    """Return one turn of m raids: what `raid_rules.resolve` does to each.

    Args:
        params: the numbers of all of them.
        raids: where they stand; not changed. One whose boss has fallen stays as it is.
        skills: shape (n,), what each hero chose.
        rolls: shape (n,), what its dice give.
        members: shape (m, n), who acts at all.
    """
    acts = members & (raids.heroes > 0)
    cast = np.where(acts & (skills == SKILLS.index(FIREBALL)), rolls, 0)
    dealt = np.cumsum(cast, axis=1)
    # Whoever comes after the killing blow comes too late.
    acts &= raids.boss[:, None] > dealt - cast
    boss = np.maximum(raids.boss - dealt[:, -1], 0)
    heroes = raids.heroes.copy()
    for healer in np.flatnonzero(skills == SKILLS.index(HEAL)):
        _heal(params, heroes, int(healer), acts[:, healer], int(rolls[healer]))
    taunts = only_first(acts & (skills == SKILLS.index(TAUNT)) & (raids.cooldown == 0))
    attack(params, heroes, boss > 0, taunts)
    cooldown = np.maximum(np.where(taunts, params.cooldown, raids.cooldown) - 1, 0)
    return Raids(boss, heroes, cooldown)


def wins(params: RaidParams, play: Script, members: Coalitions) -> Coalitions:
    """Return which replays are won; shape (m,).

    After the record's last turn no hero has anything left to do, so a boss that stands then
    has won. Cost: about 30 array operations a turn, and 6 more for each Heal.
    """
    raids = openings(params, len(members))
    for skills, rolls in zip(play.skills, play.rolls, strict=True):
        raids = step(params, raids, skills, rolls, members)
    return np.equal(raids.boss, 0)


def _heal(params: RaidParams, heroes: Ints, healer: int, acts: Coalitions, amount: int) -> None:
    others = np.where(heroes > 0, heroes, _NO_HERO)
    others[:, healer] = _NO_HERO
    raid = np.arange(len(heroes))
    weakest = others.argmin(axis=1)
    before = heroes[raid, weakest]
    heals = acts & (others[raid, weakest] < _NO_HERO)
    heroes[raid, weakest] = np.where(heals, np.minimum(before + amount, params.hero_hp), before)


def only_first(taunts: Coalitions) -> Coalitions:
    """Of all who Taunt in a raid, the one whose Taunt takes effect; shapes (m, n)."""
    raid, first = np.arange(len(taunts)), taunts.argmax(axis=1)
    found = np.zeros_like(taunts)
    found[raid, first] = taunts[raid, first]
    return found


def attack(params: RaidParams, heroes: Ints, stands: Coalitions, taunts: Coalitions) -> None:
    """The boss strikes taunters, or the weakest, in each raid in which it `stands`."""
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
