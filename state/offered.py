"""What a letter shows of the offer that stands, by what its reader is asked to do with it.

Each function is one part of `state.view`: (turn, agent) → facts, as plain JSON.
"""

from functools import lru_cache
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.games.params import COUNT
from shapley_coop.state.additions import shown
from shapley_coop.state.groups import negotiators
from shapley_coop.state.membership import own_outlook
from shapley_coop.state.turn import TurnContext, in_turn_after

Facts = dict[str, Any]

MOST_OUTLOOKS = 12
"""Of more agents, each is shown what an offer would pay itself alone."""


def standing_offer(turn: TurnContext, agent: str) -> Facts:
    """Return the offer that stands, if one does."""
    return {"offer": {**_shown_offer(turn)}} if turn.evaluated.offer else {}


@lru_cache(maxsize=16)  # all who are asked in parallel are shown the same
def _shown_offer(turn: TurnContext) -> Facts:
    offer, deal = turn.evaluated.offer, turn.evaluated.offered
    assert offer is not None, "there is one to show"
    return {
        "revision": offer["revision"],
        "by": offer["by"],
        "hash": offer["hash"],
        "clauses": _written(turn)["clauses"],
        "drops": list(deal.drops),
        "in_words": deal.text(),
    }


@lru_cache(maxsize=16)
def _written(turn: TurnContext) -> Facts:
    return wire_form(turn.evaluated.offered)


def answered_offer(turn: TurnContext, agent: str) -> Facts:
    """The offer, with its JSON to change, and what it would pay where the run computes that."""
    facts, offer = standing_offer(turn, agent), turn.evaluated.offer
    facts |= shown(turn, agent)
    if offer and offer["deal"]["clauses"]:
        # What is private to others is in no one's outlook: it is computed for its reader.
        alone = turn.evaluated.game.analysis.ahead.own_payoffs_only
        facts["offer"] |= _beside_offer(turn, agent if alone else "")
        computed = facts["offer"].get("outlook")
        if computed and len(turn.evaluated.agents) > MOST_OUTLOOKS:
            facts["offer"]["outlook"] = own_outlook(computed, agent)
    return facts


@lru_cache(maxsize=16)  # all who are asked in parallel are mostly shown the same
def _beside_offer(turn: TurnContext, viewer: str) -> Facts:
    """Return the JSON of the offer, and what it would pay where the run computes that."""
    evaluated = turn.evaluated
    facts: Facts = {"wire": _written(turn)}
    if evaluated.config.outlook and not evaluated.over:
        computed = evaluated.outlook(evaluated.offered, viewer, turn.norms)
        facts |= {"outlook": computed} if computed else {}
    return facts


def answering(turn: TurnContext, agent: str) -> Facts:
    """Return who is going to answer an offer, in speaking order."""
    return {"answering": in_turn_after(negotiators(turn.table), turn.table["speaker"])}


def answer_order(turn: TurnContext, agent: str) -> Facts:
    """Who answers, in the order in which their own offers are taken up; only where it matters."""
    order = in_turn_after(negotiators(turn.table), turn.table["speaker"])
    return {"answer_order": order} if len(order) > 1 else {}


def certified_offer(turn: TurnContext, agent: str) -> Facts:
    """Return the offer with what it would do to every agent's incentives."""
    facts, offer = answered_offer(turn, agent), turn.evaluated.offer
    if offer and offer["deal"]["clauses"] and turn.evaluated.config.certificates:
        from shapley_coop.deals.analysis.certificate_words import as_record, in_words

        certificate = turn.evaluated.signed.certificate(turn.evaluated.offered)
        facts["offer"]["certificate"] = in_words(certificate)
        facts["offer"]["incentives"] = as_record(certificate)
    return facts


def paid_offer(turn: TurnContext, agent: str) -> Facts:
    """Return the offer with what each agent would end with."""
    facts, offer = answered_offer(turn, agent), turn.evaluated.offer
    assert offer is not None, "an answer is asked only to an offer"
    due = turn.evaluated.payoffs_under(turn.evaluated.offered)
    facts["offer"]["payoffs"] = {agent: plain(x) for agent, x in due.items()}
    signed = turn.evaluated.settled()
    facts["offer"]["change"] = {agent: plain(x - signed[agent]) for agent, x in due.items()}
    return facts


def bounty(turn: TurnContext, agent: str) -> Facts:
    """Return what is divided, who made what, and whether the split was counted or proposed."""
    game, offer = turn.evaluated.game, turn.evaluated.offer
    assert offer is not None, "an answer is asked only to an offer"
    shown = {key: game.facts()[key] for key in ("bounty", "currency", "made")}
    return {"divides": {**shown, "counted": offer["by"] == COUNT}}


def offered_words(turn: TurnContext, agent: str) -> Facts:
    """To an outsider: the deal that was agreed."""
    offer = standing_offer(turn, agent).get("offer", {})
    kept = {key: offer[key] for key in ("clauses", "drops", "in_words") if key in offer}
    return {"offer": kept} if kept else {}
