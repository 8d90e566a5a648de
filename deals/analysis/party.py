"""The analysis of a contract for one party, before signing."""

from dataclasses import dataclass
from fractions import Fraction

from shapley_coop.deals.analysis.incentives import Deviation, WhateverOthersDo


@dataclass(frozen=True)
class PayoffRange:
    """An agent's payoffs over the turns left under three assumptions, in the game's unit.

    Attributes:
        worst: the payoff that the agent can secure (maximin in pure actions).
        expected: the payoff predicted if all take the allowed actions with the best gain each turn.
        best: its payoff if all choices that the contract leaves open are made in its favour.
    """

    worst: Fraction
    expected: Fraction
    best: Fraction


@dataclass(frozen=True)
class Party:
    """The payoffs and the incentives of one party under the contract.

    Attributes:
        without: the party's payoffs without the contract.
        within: its payoffs while all keep the contract.
        guaranteed: the payoff that keeping the contract secures, whatever actions the others take.
        deviation: its profitable breach while the others keep the contract; None if keeping the
            contract is a best response.
        against_all: the comparison of keeping the contract with a breach at a single turn, for all
            actions of the others at that turn. After that turn the agent keeps the contract.
    """

    without: PayoffRange
    within: PayoffRange
    guaranteed: Fraction
    deviation: Deviation | None
    against_all: WhateverOthersDo

    @property
    def temptation(self) -> Deviation | None:
        """The most profitable single breach for some actions of the others, or None."""
        return self.against_all.temptation

    @property
    def dominant(self) -> bool:
        """Whether keeping the contract is weakly dominant at every turn (`WhateverOthersDo`)."""
        return self.deviation is None and self.against_all.dominant

    @property
    def rational(self) -> bool:
        """Whether the party's secure payoff (maximin) is no lower with the contract than without.

        The predicted payoff may still be lower: `within.expected` below `without.expected`.
        """
        return self.within.worst >= self.without.worst
