"""Whom and what a clause names, and when it holds."""

from shapley_coop.deals.language.clauses import OTHERS, Clause, Do, Forbid, Give, Pay, Share
from shapley_coop.deals.language.when import EVERYONE, Earned, Event, When, conditions_in, event_of


def when_of(clause: Clause) -> When:
    """Its condition; a split of the total has none."""
    return "always" if isinstance(clause, Share) else clause.when


def events_in(clause: Clause) -> list[Event]:
    """The actions that its condition depends on."""
    return [event for part in conditions_in(when_of(clause)) if (event := event_of(part))]


def names_in(clause: Clause) -> list[str]:
    """The parties that it binds or pays, or that its condition is about."""
    match clause:
        case Do() | Forbid():
            own = [clause.agent]
        case Pay():
            own = [who for who in (clause.payer, clause.payee) if who != OTHERS]
        case Give():
            own = [clause.giver, clause.receiver]
        case Share():
            own = list(clause.fractions or {})
    earners = [part.earned for part in conditions_in(when_of(clause)) if isinstance(part, Earned)]
    acting = [event.agent for event in events_in(clause)]
    return [*own, *acting, *(agent for agent in earners if agent != EVERYONE)]


def means_all(clause: Clause, name: str) -> bool:
    """Whether a name stands for every party, where a clause can speak of all."""
    return name == EVERYONE and isinstance(clause, Do | Forbid) and clause.agent == name
