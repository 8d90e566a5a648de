"""The conduct of an embedded agent as a group's member: its vote and its signature.

The agent votes for itself if it can, else for a random candidate. It signs a deal that leaves
it no worse than its foresight (if any) expects without the deal, and no worse than
the no-deal payoff in its letter. Lacking both, it signs only a deal that costs it nothing.
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
    """Return the agent's vote: itself if it is a candidate, else a random candidate."""
    check_facts(agent.facts, "you", "legal")
    standing, me = list(agent.facts["legal"]), agent.facts["you"]
    return f"<ACTION>{me if me in standing else agent.rng.choice(standing)}</ACTION>"


def ratify(agent: Agent) -> str:
    """Return the agent's answer: sign the deal, leave it, or veto it if nobody can leave it."""
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
    """Return whether the deal leaves the agent no worse, by its letter and foresight (if any)."""
    offer, me = fact(facts, "offer"), fact(facts, "you")
    kept, without = told_payoffs(facts, EVERYBODY), told_payoffs(facts, NO_DEAL)
    alone = outlook.without[me] if outlook else None
    if not kept:  # a letter without payoffs shows the whole deal
        deal = sound_deal({"clauses": offer["clauses"], "drops": offer["drops"]})
        if outlook is None or alone is None:
            return costs_nothing(deal, me)
        return outlook.value(deal)[me] >= alone - EPSILON
    sure = min(without, default=0.0)
    return kept[0] >= (sure if alone is None else max(alone, sure)) - EPSILON
