"""Replays of a raid for many coalitions at once, on the same dice; all others stand idle."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.games.batch import PASS, Ints, Mask, Repeat, simulate
from shapley_coop.games.raid_battle.battles import Battles, Rolls
from shapley_coop.games.raid_battle.rules import SKILLS, RaidParams, rolled
from shapley_coop.games.replay import COULD_NOT, Conduct, Replays

MOST_AGENTS = 16
CELLS = 1 << 15
"""Coalitions × heroes at once: arrays of so many numbers stay in the processor's cache."""


def raid_replays(params: RaidParams, seed: int, did: Conduct) -> Replays:
    """Return what every hero and the team earn in the raid of any coalition."""
    agents, battles = tuple(params.agents), Battles(params, same_dice(params, seed))
    recorded = [numbers(did.schedules[agent]) for agent in agents]
    replayed = np.array([agent in did.replayed for agent in agents])
    turns = range(len(recorded[0]) if did.stopped else params.rounds)

    def earned(members: Mask) -> NDArray[Any]:
        at_once = max(1, CELLS // len(agents))
        parts = np.array_split(members, max(1, -(-len(members) // at_once)))
        return np.concatenate([_earned(part & replayed) for part in parts])

    def _earned(members: Mask) -> Ints:
        policy = Repeat(recorded, members, did.goes_on)
        sums = np.zeros((len(members), len(agents) + 1), np.int64)
        for moment in simulate(battles, battles.start(len(members)), policy, turns):
            sums += moment.earned
        return sums

    return Replays(agents, earned, battles.unit, MOST_AGENTS)


def wins(
    params: RaidParams, seed: int, choices: Sequence[Sequence[str | None]], members: Mask
) -> Mask:
    """Return which replays are won, if members repeat their choices and do nothing else.

    Args:
        choices: turn by turn what each hero chose; None is nothing.
        members: who is in, shape (m, n).
    """
    battles = Battles(params, same_dice(params, seed))
    recorded = [numbers(own) for own in zip(*choices, strict=True)]
    policy, world = Repeat(recorded, members, goes_on=False), battles.start(len(members))
    for moment in simulate(battles, world, policy, range(len(choices))):
        world = moment.world
    return np.equal(world.boss, 0)


def numbers(schedule: Sequence[Any]) -> list[int | None]:
    """Return a schedule with actions by their numbers, as `Repeat` takes it."""
    return [None if x is COULD_NOT else PASS if x is None else SKILLS.index(x) for x in schedule]


def same_dice(params: RaidParams, seed: int) -> Rolls:
    """Return the raid's own dice: what a hero rolls is the same in every play."""
    known: dict[tuple[int, int, int], int] = {}

    def rolls(turn: int, skill: int, used: Mask) -> Ints:
        found = np.zeros(params.heroes, dtype=np.int64)
        for i in np.flatnonzero(used):
            key = (turn, skill, int(i))
            if key not in known:
                known[key] = rolled(params, seed, turn)(params.agents[i], SKILLS[skill])
            found[i] = known[key]
        return found

    return rolls
