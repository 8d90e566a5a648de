"""What a contract means for one party, before it is signed."""

from dataclasses import dataclass
from fractions import Fraction

from shapley_coop.deals.analysis.incentives import Deviation, WhateverOthersDo


@dataclass(frozen=True)
class Outlook:
    """What an agent can expect over the turns left, in the game's unit.

    Attributes:
        worst: what it can secure (maximin in pure actions).
        expected: if everybody takes what pays best at once, of what is allowed.
        best: if all that is left open goes well for it.
    """

    worst: Fraction
    expected: Fraction
    best: Fraction


@dataclass(frozen=True)
class Party:
    """What the contract means for one party.

    Attributes:
        without: its outlook with no contract.
        within: its outlook while everybody keeps the contract.
        guaranteed: what it can secure by keeping the contract, whatever the others do.
        deviation: how it would gain by breaking the contract while the others keep it; None if
            keeping it is a best response.
        against_all: what breaking it at one turn would pay, for everything the others could do
            then, if all keep it from there on; `dominant` says that keeping it is.
    """

    without: Outlook
    within: Outlook
    guaranteed: Fraction
    deviation: Deviation | None
    against_all: WhateverOthersDo

    @property
    def temptation(self) -> Deviation | None:
        """A turn at which, for something the others could do then, breaking it pays."""
        return self.against_all.temptation

    @property
    def dominant(self) -> bool:
        """Keeping it is weakly dominant at every turn (`WhateverOthersDo`)."""
        return self.deviation is None and self.against_all.dominant

    @property
    def rational(self) -> bool:
        """It can secure no less while all keep the contract than without it (maximin).

        That says nothing about what it expects: `within.expected` can be below `without.expected`.
        """
        return self.within.worst >= self.without.worst
