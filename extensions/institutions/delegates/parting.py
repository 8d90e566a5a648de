"""What of a deal concerns one agent, and what is left of it when somebody leaves.

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
    """Whether a clause makes an agent act, pay, give or receive; what is of all concerns all."""
    named = named_in(clause)
    return named is None or agent in named


def without(deal: Deal, leaving: Collection[str], agents: Sequence[str]) -> Deal | None:
    """What is left of a deal if some leave it: no clause asks, pays or is paid by one of them.

    Who was bound, paid or to pay among "everyone" or "others" is named then, with the same part as
    before.

    Args:
        deal: the deal.
        leaving: who leaves.
        agents: all agents.

    Returns:
        None if nothing is left, if it has more clauses than a deal can have, or if the deal splits
        the total, which is theirs as well.
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
