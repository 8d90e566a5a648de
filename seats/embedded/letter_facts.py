"""What a letter about contracts shows: the offer, what stands, and the terms they are read by."""

from collections.abc import Mapping, Sequence
from typing import Any

from shapley_coop.deals import DEAL_RULES, Clause, Deal, Fault, Pay, Share, Terms, first_fault
from shapley_coop.deals.written.reading import ended, read_words
from shapley_coop.seats.embedded.outlook import needed


def offered(facts: Mapping[str, Any], talk: Sequence[Mapping[str, Any]]) -> Deal | Fault:
    """The deal that stands: its clauses, or, where it was made in words, what those say.

    Words that cannot be read, or that say what no deal may, are a fault.

    Raises:
        Missing: no offer stands.
    """
    offer = needed_fact(facts, "offer")
    if clauses := offer["clauses"]:
        drops = ended(offer.get("in_words", ""))
        return Deal.model_validate({"clauses": clauses, "drops": drops})
    said = [line["says"] for line in talk if line.get("does") == "propose" and "says" in line]
    deal = read_words(said[-1] if said else "", terms := terms_of(facts))
    return deal if isinstance(deal, Fault) else first_fault(DEAL_RULES, deal, terms) or deal


def terms_of(facts: Mapping[str, Any]) -> Terms:
    """The parties, their actions, the number of turns, and what an amendment can end.

    Raises:
        Missing: the letter does not say.
    """
    needed(facts, "agents", "actions", "turns")
    money = tuple(money_in(standing_in(facts)))
    return Terms(facts["agents"], facts["actions"], int(facts["turns"]), droppable=money)


def standing_in(facts: Mapping[str, Any]) -> dict[str, Clause]:
    """The clauses of the contract that stands, if one does, by the ids that its text gives.

    Raises:
        Missing: the letter shows it in part.
    """
    contract = facts.get("contract") or {"clauses": [], "in_words": ""}
    needed(contract, "clauses", "in_words")
    ids = [line.partition(".")[0] for line in contract["in_words"].splitlines()]
    clauses = Deal.model_validate({"clauses": contract["clauses"]}).clauses
    return dict(zip(ids, clauses, strict=True))


def money_in(clauses: Mapping[str, Clause]) -> dict[str, Clause]:
    """The payments and the split among them."""
    return {cid: clause for cid, clause in clauses.items() if isinstance(clause, Pay | Share)}


def needed_fact(facts: Mapping[str, Any], name: str) -> Any:
    """One fact of the letter.

    Raises:
        Missing: it is not there.
    """
    needed(facts, name)
    return facts[name]
