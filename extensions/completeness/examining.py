"""The examination of one contract: its contingencies, and its distance to the Pareto frontier."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shapley_coop.deals.analysis.game_tree import Amounts, GameTree
from shapley_coop.deals.analysis.incentives import sufficient_deposit
from shapley_coop.deals.analysis.stage import StageGame
from shapley_coop.deals.analysis.valuations import expected_value
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.deal import Deal
from shapley_coop.extensions.completeness.contingencies import Contingency, Exposure, exposures
from shapley_coop.extensions.completeness.frontier import Distance, distance


@dataclass(frozen=True)
class Finding:
    """What is missing in a contract.

    Attributes:
        deal: the contract.
        facts: the facts of the game.
        tree: the game under the contract.
        exposures: agent → its contingencies, for agents that have any.
        payoffs: the predicted payoffs, in the order of the agents.
    """

    deal: Deal
    facts: Mapping[str, Any]
    tree: GameTree
    exposures: Mapping[str, Exposure]
    payoffs: Amounts

    @property
    def distance(self) -> Distance:
        """The distance from the predicted payoffs to the Pareto frontier."""
        return distance(self.tree.stage, self.payoffs)

    @property
    def lost(self) -> Fraction:
        """The total that the predicted course leaves on the table."""
        return self.tree.stage.turns * self.tree.stage.best_total - sum(self.payoffs)

    @property
    def complete(self) -> bool:
        """Whether no breach pays or is costless, and no welfare is left on the table."""
        return not self.exposures and not self.lost

    @property
    def nearest(self) -> Contingency | None:
        """The contingency with a gain, the fewest surprises and the largest gain; None if none."""
        found = [exposure.nearest for exposure in self.exposures.values()]
        return min(found, key=lambda one: (not one.gain, one.surprises, -one.gain), default=None)


def examine(
    deal: Deal, facts: Mapping[str, Any], enforcement: Enforcement | None = None
) -> Finding:
    """Search a contract, to be signed before the first turn, for what is missing in it.

    Args:
        deal: the contract, which breaks no rule of deals.
        facts: the facts of the game.
        enforcement: how the contract is enforced; a deposit that is not given is computed.

    Raises:
        NotFinite: the game has no table of payoffs, or is too large to be enumerated.
    """
    stage, enforcement = StageGame.of(facts), enforcement or Enforcement()
    if enforcement.mode == "escrow" and enforcement.deposit is None:
        enforcement = Enforcement("escrow", sufficient_deposit(deal, stage))
    tree = GameTree(deal, stage, enforcement)
    return Finding(deal, facts, tree, exposures(tree), tree.value(expected_value))
