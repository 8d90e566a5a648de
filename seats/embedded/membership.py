"""How an embedded agent votes for a delegate, signs what delegates agreed on, or is one itself.

It votes for itself where it stands, else for whom its dice draw. It signs what leaves it no worse
than it expects to be without the deal, by its foresight where it has one, and than it can be sure
of, as its letter computed that; where nothing tells, only what costs it nothing. As a delegate it
agrees to nothing that leaves a member of its group worse off.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from shapley_coop.deals.analysis.outlook_rows import EVERYBODY, NO_DEAL
from shapley_coop.games.foresight import Payoffs, needed
from shapley_coop.seats.embedded.letter_facts import fact, sound_deal, told
from shapley_coop.seats.embedded.outlook import EPSILON, Outlook
from shapley_coop.seats.embedded.without_foresight import costs_nothing


@dataclass(frozen=True)
class Member:
    """One agent where delegates bargain.

    Attributes:
        facts: the letter's.
        rng: its dice.
    """

    facts: Mapping[str, Any]
    rng: Random

    def vote(self) -> str:
        """Return the name of a candidate."""
        needed(self.facts, "you", "legal")
        standing = list(self.facts["legal"])
        me = self.facts["you"]
        return f"<ACTION>{me if me in standing else self.rng.choice(standing)}</ACTION>"

    def ratify(self, outlook: Outlook | None) -> str:
        """Sign, or leave, or, where a deal cannot be left, veto.

        Args:
            outlook: what I expect of deals; None where I cannot look ahead.
        """
        if self._good(outlook):
            return "<s>I sign: it leaves me no worse.</s><ACCEPT>"
        if fact(self.facts, "leaving") == "reduced":
            return "<s>I leave: without it I am better off.</s><ACTION>leave</ACTION>"
        return "<s>I veto it: without it I am better off.</s><REJECT>"

    def _good(self, outlook: Outlook | None) -> bool:
        offer, me = fact(self.facts, "offer"), fact(self.facts, "you")
        kept, without = told(self.facts, EVERYBODY), told(self.facts, NO_DEAL)
        alone = outlook.alone[me] if outlook else None
        if not kept:  # the letter holds the whole deal in place of what it pays
            deal = sound_deal({"clauses": offer["clauses"], "drops": offer["drops"]})
            if outlook is None or alone is None:
                return costs_nothing(deal, me)
            return outlook.value(deal)[me] >= alone - EPSILON
        sure = min(without, default=0.0)
        return kept[0] >= (sure if alone is None else max(alone, sure)) - EPSILON


def serves(facts: Mapping[str, Any], within: Payoffs, alone: Payoffs) -> bool:
    """Return whether a deal leaves no member of the group that an agent bargains for worse off."""
    return all(within[a] >= alone[a] - EPSILON for a in facts.get("represents", []))
