"""Whom a deal binds, and what of it concerns whom.

>>> from shapley_coop.deals.language.clauses import Do, Pay
>>> from shapley_coop.deals.language.deal import Deal
>>> deal = Deal(clauses=[Do(agent="Ann", action="dig"), Pay(payer="Ann", payee="others", amount=2)])
>>> sorted(bound_by(deal.clauses, ["Ann", "Ben", "Cem"]))
['Ann']
"""

from collections.abc import Iterable, Mapping, Sequence

from shapley_coop.deals.language.clauses import Clause
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


def by_agent(clauses: Mapping[str, Clause], agents: Sequence[str]) -> dict[str, dict[str, Clause]]:
    """Agent → the clauses that concern it, by their ids; each clause is looked at once."""
    found: dict[str, dict[str, Clause]] = {agent: {} for agent in agents}
    for cid, clause in clauses.items():
        for agent in agents if (named := named_in(clause)) is None else named:
            found[agent][cid] = clause
    return found


def named_in(clause: Clause) -> tuple[str, ...] | None:
    """Return the agents that a clause names; None if it is of all."""
    if clause.split:
        return None
    named = parties_of(clause)
    return None if {EVERYONE, OTHERS} & {*named} else tuple(named)
