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
    def lost(self) -> Fraction:
        """The total that the predicted course leaves on the table."""
        stage = self.tree.stage
        return stage.turns * stage.best_total - sum(self.payoffs, Fraction(0))

    @property
    def complete(self) -> bool:
        """Whether no breach pays or is costless, and no welfare is left on the table."""
        return not (self.exposures or self.lost)

    @property
    def nearest(self) -> Contingency | None:
        """The nearest contingency of any agent; None if the contract has none."""
        found = [exposure.nearest for exposure in self.exposures.values()]
        return min(found, key=lambda one: one.order, default=None)


def examine(
    deal: Deal, facts: Mapping[str, Any], enforcement: Enforcement | None = None
) -> Finding:
    """Search a contract, to be signed before the first turn, for what is missing in it.

    The contract must break no rule of deals. A deposit in escrow that is not given is computed.

    Raises:
        NotFinite: the game has no table of payoffs, or is too large to be enumerated.
    """
    stage, enforcement = StageGame.of(facts), enforcement or Enforcement()
    if enforcement.mode == "escrow" and enforcement.deposit is None:
        enforcement = Enforcement("escrow", sufficient_deposit(deal, stage))
    tree = GameTree(deal, stage, enforcement)
    return Finding(deal, facts, tree, exposures(tree), tree.value(expected_value))
