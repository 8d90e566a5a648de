"""The analysis of an environment's plays; if trials found fixed payoffs, it is a matrix game."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from shapley_coop.games.ahead import Ahead
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.games.replay import Replays, additive, own_rewards
from shapley_coop.games.turns import Turn, realised_total

if TYPE_CHECKING:
    from shapley_coop.extensions.pettingzoo.bridge import PettingZooGame


class PettingZooAnalysis(Analysis):
    """The analysis by the payoff matrix that the trials found, if they found one."""

    game: "PettingZooGame"

    def dominance_solution(self) -> Baseline | None:
        """Return the dominance solution of the matrix that the trials found, or None."""
        return self.game.stage.analysis.dominance_solution() if self.game.stage else None

    def replays(self, record: Sequence[Turn]) -> Replays:
        """Return step-by-step replays; without a baseline, agents earn only their own rewards."""
        if self.game.baseline.kind != "nothing":
            return super().replays(record)
        own = own_rewards(record, self.game.agents)
        return additive(self.game.agents, [own[agent] for agent in self.game.agents])

    def potential(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """Return the realised total for the grand coalition, or the α-value of another coalition.

        Without a matrix, only the play is known. A worth is then the sum of the members' rewards,
        so every agent's value is its own reward.
        """
        if coalition == frozenset(self.game.agents):
            return realised_total(record)
        if self.game.stage:
            return self.game.stage.analysis.potential(record, coalition)
        return sum(own_rewards(record, sorted(coalition)).values(), start=Fraction(0))

    @property
    def reference_points(self) -> ReferencePoints:
        """The reference points of the matrix that the trials found; empty without a matrix."""
        return self.game.stage.analysis.reference_points if self.game.stage else ReferencePoints()

    @property
    def ahead(self) -> Ahead:
        """The lookahead by the matrix that the trials found; if none, the default lookahead."""
        return self.game.stage.analysis.ahead if self.game.stage else super().ahead
