"""The answers of an embedded agent in a game that it cannot foresee.

The agent keeps its contracts, and accepts only deals that cost it nothing. If no contract asks it
for an action, it draws a legal action by its seed and says so. The agent always acts if it can.
"""

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.parties import bound_by
from shapley_coop.games.foresight import check_facts
from shapley_coop.games.gives import legal_in
from shapley_coop.seats.embedded.letter_facts import owed_now
from shapley_coop.seats.embedded.offered import offered_deal
from shapley_coop.seats.embedded.outlook import CANNOT

_DRAWN = f"{CANNOT}: I take the legal action my seed draws."


def answer_blindly(
    asked: str,
    facts: Mapping[str, Any],
    rng: Random,
    talk: Sequence[Mapping[str, Any]],
    why: str,
) -> str:
    """Return the answer to one letter.

    Args:
        asked: the name of the question.
        facts: the letter's facts.
        rng: my random generator.
        talk: the lines of the letter's history.
        why: a phrase that says why I cannot foresee, for my public words.

    Raises:
        Missing: the letter lacks a fact that the answer needs.
    """
    if asked == "act":
        return _act(facts, rng)
    if asked == "reason":
        cannot_tell = dict.fromkeys(("collective_payoff", "externality", "price"))
        return f"<CONSIDER>{json.dumps({'plan': _DRAWN, **cannot_tell})}</CONSIDER>"
    if not asked.endswith(("answer", "sign")):
        return f"<s>{why}: I propose nothing.</s><REJECT>"
    check_facts(facts, "you")
    deal = offered_deal(facts, talk)
    if not isinstance(deal, Fault) and costs_nothing(deal, facts["you"]):
        return f"<s>{why}; I agree because it asks nothing of me.</s><ACCEPT>"
    return f"<s>{why}, and agree to nothing that could cost me.</s><REJECT>"


def costs_nothing(deal: Deal, me: str) -> bool:
    """Return whether a deal asks no action and no payment of me, and splits no total."""
    return not deal.drops and me not in bound_by(deal.clauses, [me])


def _act(facts: Mapping[str, Any], rng: Random) -> str:
    """Return my duty by contract, else a random legal action, not forbidden if possible."""
    check_facts(facts, "you", "legal")
    legal = legal_in(facts)
    if owed := owed_now(facts, legal):
        return f"<s>I do {owed[0]}, as I signed.</s><ACTION>{owed[0]}</ACTION>"
    forbidden = {duty["action"] for duty in facts.get("duties", []) if duty["forbidden"]}
    free = [action for action in legal if action not in forbidden]
    return f"<s>{_DRAWN}</s><ACTION>{rng.choice(free or legal)}</ACTION>"
