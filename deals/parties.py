"""The agents that a deal binds, and the clauses that concern each of them.

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
"""The most clauses that a letter shows; of more, it shows only those that concern its reader."""


def bound_by(clauses: Iterable[Clause], agents: Sequence[str]) -> set[str]:
    """Return the agents that have a duty, or must pay or give; a split binds all agents."""
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
    """Return agent → {clause id → clause} of the clauses that concern the agent."""
    found: dict[str, dict[str, Clause]] = {agent: {} for agent in agents}
    for cid, clause in clauses.items():
        for agent in agents if (named := named_in(clause)) is None else named:
            found[agent][cid] = clause
    return found


def named_in(clause: Clause) -> tuple[str, ...] | None:
    """Return the agents that a clause names, or None if the clause concerns all agents."""
    if clause.split:
        return None
    named = parties_of(clause)
    return None if {EVERYONE, OTHERS} & {*named} else tuple(named)
