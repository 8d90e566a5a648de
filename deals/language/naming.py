"""Functions that return the agents that a clause names."""

from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.when import EVERYONE, Earned, conditions_in


def parties_of(clause: Clause) -> list[str]:
    """Return the names in a clause's effects, which may include "everyone" and "others"."""
    duty, pay, gift, split = clause.duty, clause.transfer, clause.gift, clause.split
    return [
        *([duty.agent] if duty else ()),
        *([pay.payer, pay.payee] if pay else ()),
        *([gift.giver, gift.receiver] if gift else ()),
        *((split.fractions or ()) if split else ()),
    ]


def names_in(clause: Clause) -> list[str]:
    """Return the names in a clause's effects and condition, except "others" in a payment."""
    others = OTHERS if clause.transfer else None
    own = [name for name in parties_of(clause) if name != others]
    earners = [part.earned for part in conditions_in(clause.when) if isinstance(part, Earned)]
    acting = [event.agent for event in clause.events(())]
    return [*own, *acting, *(agent for agent in earners if agent != EVERYONE)]


def means_all(clause: Clause, name: str) -> bool:
    """Return whether the name is the "everyone" of a clause that imposes a duty."""
    return name == EVERYONE and clause.duty is not None and clause.duty.agent == name
