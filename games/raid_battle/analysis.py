"""What is asked of a raid's record: many raids side by side, and its other rules of credit."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shapley_coop.games.analysis import Analysis
from shapley_coop.games.batch import Ints, Mask
from shapley_coop.games.raid_battle.ahead import RaidAhead
from shapley_coop.games.raid_battle.conduct import raid_replays, wins
from shapley_coop.games.raid_battle.rules import contributions
from shapley_coop.games.replay import Conduct, Replays
from shapley_coop.games.turns import Turn

if TYPE_CHECKING:
    from shapley_coop.games.raid_battle.game import RaidBattle

TABLE_HEROES = 12
"""Up to here all 2**n coalitions are replayed at once when the first is asked for."""

Choices = tuple[tuple[str | None, ...], ...]
"""Turn by turn what each hero chose, in the order of the heroes; None is nothing."""

Worths = Callable[[Mask], Ints]


class RaidAnalysis(Analysis):
    """Raids side by side, on arrays."""

    game: "RaidBattle"

    def __init__(self, game: "RaidBattle") -> None:
        super().__init__(game)
        self._replays = lru_cache(maxsize=4)(self._prepare)

    def repeated(self, did: Conduct) -> Replays:
        """Many raids side by side; other baselines than standing idle are played step by step."""
        if self.game.baseline.kind != "idle":
            return super().repeated(did)
        return raid_replays(self.game.params, self.game.seed, did)

    @cached_property
    def ahead(self) -> RaidAhead:
        """Many raids side by side."""
        return RaidAhead(self.game)

    def worth(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """v(C), by the parameter `worth`.

        record: as in every game: own rewards and the team's, where the members of C repeat their
        conduct and all others stand idle, less what there is if all do.

        contribution: damage + healing + redirected damage of the members, in hit points; v(∅) = 0.

        outcome: 1 if the replay that ends with the record is won, else 0. Not monotone in general:
        whom a Heal or a strike goes to depends on all heroes.
        """
        if self.game.params.worth == "record":
            return super().worth(record, coalition)
        row = np.array([[agent in coalition for agent in self.game.agents]])
        return Fraction(int(self._worths(record)(row)[0]))

    @property
    def credit_rule(self) -> str:
        """The parameter `worth`."""
        return self.game.params.worth

    def batch_worth(self, record: Sequence[Turn]) -> Callable[[Mask], NDArray[np.float64]]:
        """`worth` of many coalitions at once: from shape (m, n) to shape (m,)."""
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
