"""What is asked of plays of an environment: as of a matrix, where its trials found it to be one."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from shapley_coop.games.ahead import Ahead
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.games.replay import Replays, additive, earned_alone
from shapley_coop.games.turns import Turn, realised_total

if TYPE_CHECKING:
    from shapley_coop.extensions.pettingzoo.bridge import PettingZooGame


class PettingZooAnalysis(Analysis):
    """By the matrix that the trials found, if there is one."""

    game: "PettingZooGame"

    def dominance_solution(self) -> Baseline | None:
        """That of the matrix that the trials found."""
        return self.game.stage.analysis.dominance_solution() if self.game.stage else None

    def replays(self, record: Sequence[Turn]) -> Replays:
        """Step by step; without a baseline each agent has its own rewards, whoever is there."""
        if self.game.baseline.kind != "nothing":
            return super().replays(record)
        own = earned_alone(record, self.game.agents)
        return additive(self.game.agents, [own[agent] for agent in self.game.agents])

    def potential(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """v(N) is the realised total; else the α-value of the matrix that the trials found.

        Of any other environment nothing is known but the play: a coalition is worth what its
        members earned, so that every value is an agent's own reward.
        """
        if coalition == frozenset(self.game.agents):
            return realised_total(record)
        if self.game.stage:
            return self.game.stage.analysis.potential(record, coalition)
        return sum(earned_alone(record, sorted(coalition)).values(), start=Fraction(0))

    @property
    def reference_points(self) -> ReferencePoints:
        """Return those of the matrix that the trials found; of any other environment none."""
        return self.game.stage.analysis.reference_points if self.game.stage else ReferencePoints()

    @property
    def ahead(self) -> Ahead:
        """As a matrix, where the trials found it to be one."""
        return self.game.stage.analysis.ahead if self.game.stage else super().ahead
