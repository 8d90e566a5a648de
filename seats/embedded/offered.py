"""The offer of a letter, read by embedded agents from its clauses or, if it has none, its words."""

from collections.abc import Mapping, Sequence
from typing import Any

from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.rules import DEAL_RULES, first_fault
from shapley_coop.games.foresight import check_facts
from shapley_coop.seats.embedded.letter_facts import fact, sound_deal, terms_of


def offered_deal(facts: Mapping[str, Any], talk: Sequence[Mapping[str, Any]]) -> Deal | Fault:
    """Return the offered deal, from its clauses or, if the offer has only words, from its words.

    Return a fault if the words cannot be parsed or break a rule for deals.

    Raises:
        Missing: there is no offer.
    """
    offer = fact(facts, "offer")
    check_facts(offer, "clauses", "drops")
    if offer["clauses"]:
        return sound_deal({"clauses": offer["clauses"], "drops": offer["drops"]})
    said = [line["says"] for line in talk if line.get("does") == "propose" and "says" in line]
    from shapley_coop.deals.written.reading import read_words  # few offers have only words

    deal = read_words(said[-1] if said else "", terms := terms_of(facts))
    return deal if isinstance(deal, Fault) else first_fault(DEAL_RULES, deal, terms) or deal
