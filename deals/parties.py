"""Whom a deal binds, what of it concerns one agent, and what is left of it when somebody leaves.

>>> from shapley_coop.deals import Deal, Do, Pay
>>> deal = Deal(clauses=[Do(agent="Ann", action="dig"), Pay(payer="Ben", payee="Ann", amount=2)])
>>> sorted(bound_by(deal.clauses, ["Ann", "Ben", "Cem"]))
['Ann', 'Ben']
>>> rest = without(deal, {"Ben"})
>>> rest.text() if rest else ""
'c1. Ann does dig at every turn.'
"""

from collections.abc import Collection, Iterable, Sequence

from shapley_coop.deals.language.clauses import OTHERS, Clause, Give, Pay, Share, portions
from shapley_coop.deals.language.deal import Deal


def bound_by(clauses: Iterable[Clause], agents: Sequence[str]) -> set[str]:
    """Who has to act, pay or give by some clauses; a split of the total takes from all agents."""
    bound: set[str] = set()
    for clause in clauses:
        match clause:
            case Share():
                bound.update(agents)
            case Pay():
                bound.update(a for a, part in portions(clause, agents).items() if part < 0)
            case Give(giver=giver):
                bound.add(giver)
            case _:
                bound.update(agent for agent in agents if clause.binds(agent))
    return bound


def concerns(clause: Clause, agent: str) -> bool:
    """Whether a clause makes an agent act, pay, give or receive; what is of all concerns all."""
    match clause:
        case Share():
            return True
        case Pay(payer=payer, payee=payee):
            return agent in (payer, payee) or OTHERS in (payer, payee)
        case Give(giver=giver, receiver=receiver):
            return agent in (giver, receiver)
        case _:
            return clause.binds(agent)


def without(deal: Deal, leaving: Collection[str]) -> Deal | None:
    """What is left of a deal if some leave it: the clauses that concern none of them.

    Returns:
        None if nothing is left, or if the deal splits the total, which is theirs as well.
    """
    kept = [c for c in deal.clauses if not any(concerns(c, agent) for agent in leaving)]
    if deal.share is not None or not kept:
        return None
    return Deal(clauses=tuple(kept), drops=deal.drops)
