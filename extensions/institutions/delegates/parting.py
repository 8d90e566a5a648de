"""The clauses of a deal that concern an agent, and the deal that remains if agents leave it.

>>> from shapley_coop.deals.language.clauses import Do, Pay
>>> from shapley_coop.deals.language.deal import Deal
>>> deal = Deal(clauses=[Do(agent="Ann", action="dig"), Pay(payer="Ann", payee="others", amount=2)])
>>> rest = without(deal, {"Ben"}, ["Ann", "Ben", "Cem"])
>>> print(rest.text() if rest else "nothing")
c1. Ann does dig at every turn.
c2. Ann pays Cem 1, once.
"""

from collections.abc import Collection, Sequence

from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.deal import MAX_CLAUSES, Deal
from shapley_coop.deals.parties import named_in


def concerns(clause: Clause, agent: str) -> bool:
    """Return whether a clause makes an agent act, pay, give or receive, or concerns all agents."""
    named = named_in(clause)
    return named is None or agent in named


def without(deal: Deal, leaving: Collection[str], agents: Sequence[str]) -> Deal | None:
    """Return a deal without those clauses that concern the leaving agents.

    Clauses on "everyone" or "others" then name the remaining agents; each agent's duty or payment
    stays the same.

    Args:
        leaving: the agents that leave.
        agents: all agents.

    Returns:
        The remaining deal; None if no clause or too many clauses remain, or if the deal splits
        the total, to which the leaving agents contribute.
    """
    if deal.split is not None:
        return None
    kept = [
        named
        for clause in deal.clauses
        for named in clause.by_name(agents)
        if not any(concerns(named, agent) for agent in leaving)
    ]
    return Deal(clauses=tuple(kept), drops=deal.drops) if 0 < len(kept) <= MAX_CLAUSES else None
