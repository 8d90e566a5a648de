"""How an embedded agent votes for a delegate, and signs what delegates agreed on.

It votes for itself where it stands, else for whom its dice draw. It signs what leaves it no worse
than it expects to be without the deal, by its foresight where it has one, and than it can be sure
of, as its letter computed that; where nothing tells, only what costs it nothing.
"""

from collections.abc import Mapping
from typing import Any

from shapley_coop.deals.analysis.outlook_rows import EVERYBODY, NO_DEAL
from shapley_coop.games.foresight import check_facts
from shapley_coop.seats.embedded.bargaining import Agent
from shapley_coop.seats.embedded.letter_facts import fact, sound_deal, told_payoffs
from shapley_coop.seats.embedded.outlook import EPSILON, Outlook, Unforeseeable
from shapley_coop.seats.embedded.without_foresight import costs_nothing

Facts = Mapping[str, Any]


def vote(agent: Agent) -> str:
    """Return the name of a candidate."""
    check_facts(agent.facts, "you", "legal")
    standing, me = list(agent.facts["legal"]), agent.facts["you"]
    return f"<ACTION>{me if me in standing else agent.rng.choice(standing)}</ACTION>"


def ratify(agent: Agent) -> str:
    """Sign, or leave, or, where a deal cannot be left, veto."""
    try:
        good = _good(agent.facts, agent.outlook)
    except Unforeseeable:
        good = _good(agent.facts, None)
    if good:
        return "<s>I sign: it leaves me no worse.</s><ACCEPT>"
    if fact(agent.facts, "leaving") == "reduced":
        return "<s>I leave: without it I am better off.</s><ACTION>leave</ACTION>"
    return "<s>I veto it: without it I am better off.</s><REJECT>"


def _good(facts: Facts, outlook: Outlook | None) -> bool:
    """Return whether to sign; where I cannot look ahead, by the letter alone."""
    offer, me = fact(facts, "offer"), fact(facts, "you")
    kept, without = told_payoffs(facts, EVERYBODY), told_payoffs(facts, NO_DEAL)
    alone = outlook.alone[me] if outlook else None
    if not kept:  # the letter holds the whole deal in place of what it pays
        deal = sound_deal({"clauses": offer["clauses"], "drops": offer["drops"]})
        if outlook is None or alone is None:
            return costs_nothing(deal, me)
        return outlook.value(deal)[me] >= alone - EPSILON
    sure = min(without, default=0.0)
    return kept[0] >= (sure if alone is None else max(alone, sure)) - EPSILON
