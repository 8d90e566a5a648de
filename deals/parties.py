"""Whom a deal binds, what of it concerns one agent, and what is left of it when somebody leaves.

>>> from shapley_coop.deals.language.clauses import Do, Pay
>>> from shapley_coop.deals.language.deal import Deal
>>> deal = Deal(clauses=[Do(agent="Ann", action="dig"), Pay(payer="Ann", payee="others", amount=2)])
>>> sorted(bound_by(deal.clauses, ["Ann", "Ben", "Cem"]))
['Ann']
>>> rest = without(deal, {"Ben"}, ["Ann", "Ben", "Cem"])
>>> print(rest.text() if rest else "nothing")
c1. Ann does dig at every turn.
c2. Ann pays Cem 1, once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.deal import MAX_CLAUSES, Deal
from shapley_coop.deals.language.effects import OTHERS, portions
from shapley_coop.deals.language.naming import parties_of
from shapley_coop.deals.language.when import EVERYONE

MOST_TOLD = 64
"""Clauses up to which letters tell all of a contract; of a larger one each is told its own."""


def bound_by(clauses: Iterable[Clause], agents: Sequence[str]) -> set[str]:
    """Who has to act, pay or give by some clauses; a split of the total takes from all agents."""
    bound: set[str] = set()
    for clause in clauses:
        if duty := clause.duty:
            bound.update(agent for agent in agents if duty.binds(agent))
        if pay := clause.transfer:
            bound.update(a for a, part in portions(pay, agents).items() if part < 0)
        if gift := clause.gift:
            bound.add(gift.giver)
        if clause.split:
            bound.update(agents)
    return bound


def concerns(clause: Clause, agent: str) -> bool:
    """Whether a clause makes an agent act, pay, give or receive; what is of all concerns all."""
    named = _named(clause)
    return named is None or agent in named


def by_agent(clauses: Mapping[str, Clause], agents: Sequence[str]) -> dict[str, dict[str, Clause]]:
    """Agent → the clauses that concern it, by their ids; each clause is looked at once."""
    found: dict[str, dict[str, Clause]] = {agent: {} for agent in agents}
    for cid, clause in clauses.items():
        for agent in agents if (named := _named(clause)) is None else named:
            found[agent][cid] = clause
    return found


def _named(clause: Clause) -> tuple[str, ...] | None:
    """Return the agents that a clause names; None if it is of all."""
    if clause.split:
        return None
    named = parties_of(clause)
    return None if {EVERYONE, OTHERS} & {*named} else tuple(named)


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
