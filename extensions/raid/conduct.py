"""Replays of a raid for many coalitions at once, on the same dice; agents' credit from replays."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.extensions.raid.ahead import RaidAhead
from shapley_coop.extensions.raid.batch import PASS, Ints, Mask, Repeat, simulate
from shapley_coop.extensions.raid.battles import Battles, Rolls
from shapley_coop.extensions.raid.rules import SKILLS, RaidParams, contributions, rolled
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.replay import COULD_NOT, Conduct, Replays
from shapley_coop.games.turns import Turn

if TYPE_CHECKING:
    from shapley_coop.extensions.raid.game import RaidBattle

MOST_AGENTS = 16
CELLS = 1 << 15
"""The most coalitions × heroes in an array, so that the array fits into the processor's cache."""


TABLE_HEROES = 12
"""The most heroes for which all 2**n coalitions are replayed together at the first request."""

Choices = tuple[tuple[str | None, ...], ...]
"""The action of each hero in order, turn by turn; None for no action."""

Worths = Callable[[Mask], Ints]


def raid_replays(params: RaidParams, seed: int, did: Conduct) -> Replays:
    """Return the replays of any coalition: what every hero and the team earns in them."""
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
    """Return whether each replay is won if members repeat their choices and all others pass.

    Args:
        choices: the action of each hero, turn by turn; None for no action.
        members: an array (coalition, hero): whether the hero is a member.
    """
    battles = Battles(params, same_dice(params, seed))
    recorded = [numbers(own) for own in zip(*choices, strict=True)]
    policy, world = Repeat(recorded, members, goes_on=False), battles.start(len(members))
    for moment in simulate(battles, world, policy, range(len(choices))):
        world = moment.world
    return np.equal(world.boss, 0)


def numbers(schedule: Sequence[Any]) -> list[int | None]:
    """Return a schedule with actions as numbers, in the form that `Repeat` takes."""
    return [None if x is COULD_NOT else PASS if x is None else SKILLS.index(x) for x in schedule]


def same_dice(params: RaidParams, seed: int) -> Rolls:
    """Return the raid's own dice, so that a hero's rolls are equal in all replays."""
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


class RaidAnalysis(Analysis):
    """The analysis of raids, with many plays at once on arrays."""

    game: "RaidBattle"

    def __init__(self, game: "RaidBattle") -> None:
        super().__init__(game)
        self._replays = lru_cache(maxsize=4)(self._prepare)

    def repeated(self, did: Conduct) -> Replays:
        """Return the replays; they run on arrays if absent heroes idle, and else one by one."""
        if self.game.baseline.kind != "idle":
            return super().repeated(did)
        return raid_replays(self.game.params, self.game.seed, did)

    @property
    def ahead(self) -> RaidAhead:
        """The simulator that plays many raids at once."""
        return RaidAhead(self.game)

    def worth(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """Return v(C) by the parameter `worth`.

        record: the default, as in all games: the total of all rewards if C's members repeat their
        conduct and all others idle, minus the total if all heroes idle.

        contribution: the members' damage + healing + redirected damage, in hit points; v(∅) = 0.

        outcome: 1 if the replay is won within the record's turns, else 0. This v is not monotone in
        general, because the targets of Heals and strikes depend on all heroes.
        """
        if self.game.params.worth == "record":
            return super().worth(record, coalition)
        row = np.array([[agent in coalition for agent in self.game.agents]])
        return Fraction(int(self._worths(record)(row)[0]))

    def batch_worth(self, record: Sequence[Turn]) -> Callable[[Mask], NDArray[np.float64]]:
        """Return a function from an array (coalition, agent) to the coalitions' worths."""
        if self.game.params.worth == "record":
            return super().batch_worth(record)
        worths = self._worths(record)
        return lambda coalitions: worths(coalitions).astype(np.float64)

    def _worths(self, record: Sequence[Turn]) -> Worths:
        if self.game.params.worth == "contribution":
            found = contributions(self.game.agents, record)
            amounts = np.array([sum(found[agent].values()) for agent in self.game.agents])
            return lambda members: members @ amounts
        choices = tuple(
            tuple(turn["actions"].get(agent) for agent in self.game.agents) for turn in record
        )
        return self._replays(choices)

    def _prepare(self, choices: Choices) -> Worths:
        def replay(members: Mask) -> Ints:
            return wins(self.game.params, self.game.seed, choices, members).astype(np.int64)

        n = len(self.game.agents)
        if n > TABLE_HEROES:
            return replay
        bits = 1 << np.arange(n)
        table = replay((np.arange(1 << n)[:, None] & bits).astype(bool))
        return lambda members: table[members @ bits]
