"""Contracts: deals that all parties accepted. An amendment names the contract that it amends."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter
from typing_extensions import TypedDict  # pydantic needs this TypedDict before Python 3.12

from shapley_coop.canonical import cache_key, digest
from shapley_coop.deals.language.clauses import AnyClause, Clause, lines_of
from shapley_coop.deals.language.deal import Deal, Offer, put
from shapley_coop.deals.language.effects import Split

_clause: TypeAdapter[Clause] = TypeAdapter(AnyClause)


class Term(TypedDict):
    """One clause of a contract and the turns at which it is in force."""

    id: str  # c1, c2, …; an amendment continues the numbering
    clause: dict[str, Any]
    from_turn: int
    to_turn: int | None  # the last turn at which the clause is in force; None if it has no end


class Contract(TypedDict):
    """A signed deal with its amendments."""

    hash: str  # the offer's hash; in an amendment, a hash over `previous` and the offer's hash
    previous: str | None  # the hash of the contract that this one amends
    terms: list[Term]  # all clauses so far, also those that ended
    text: str  # the clauses in force, in plain English
    signatures: dict[str, dict[str, Any]]  # agent → the revision and hash that it accepted


def sign(offer: Offer, from_turn: int) -> Contract:
    """Return the contract of a unanimously accepted offer, in force from `from_turn` on."""
    return _contract(offer, None, _terms(offer, from_turn, start=1))


def amend(contract: Contract, offer: Offer, from_turn: int) -> Contract:
    """Return the contract amended by an offer that all parties accepted.

    The offer replaces all duties from `from_turn` on. Payments and gifts stay in force unless the
    offer drops them by id. The split of the total stays unless the offer drops or replaces it.
    """
    deal = Deal.of(offer["deal"])
    kept = [_end_term(term, deal, from_turn) for term in contract["terms"]]
    return _contract(offer, contract["hash"], kept + _terms(offer, from_turn, start=len(kept) + 1))


def agreed_from(deal: Deal, standing: Contract | None, now: int) -> Contract:
    """Return the contract that signing the deal would put in force from turn `now` on.

    The deal's clauses keep the ids that letters show. The ids of the clauses of `standing` get the
    prefix "standing".
    """
    offer = put(deal, "", 1)
    contract = amend(standing, offer, now) if standing else sign(offer, now)
    before = len(contract["terms"]) - len(deal.clauses)
    names = [f"standing {term['id']}" for term in contract["terms"][:before]]
    pairs = zip([*names, *deal.ids()], contract["terms"], strict=True)
    return {**contract, "terms": [{**term, "id": cid} for cid, term in pairs]}


def in_force(contract: Contract | None) -> dict[str, Clause]:
    """Return clause id → clause, for the clauses in force now; {} without a contract."""
    terms = contract["terms"] if contract else []
    return {term["id"]: clause_of(term) for term in terms if term["to_turn"] is None}


def clause_of(term: Term) -> Clause:
    """Return the clause in one of a contract's terms, which are stored as JSON."""
    return _read(cache_key(term["clause"]))


@lru_cache(maxsize=4096)
def _read(clause: bytes) -> Clause:
    return _clause.validate_json(clause)


def split_of(contract: Contract | None) -> Split | None:
    """Return the split of the total by a clause in force, or None if there is none."""
    return next((split for c in in_force(contract).values() if (split := c.split)), None)


def lasting_clauses(clauses: Mapping[str, Clause]) -> dict[str, Clause]:
    """Return the clauses that last until they are dropped: payments, gifts and the split."""
    return {cid: clause for cid, clause in clauses.items() if clause.lasts}


def rebuilt(offers: Sequence[tuple[Offer, int]]) -> list[Contract]:
    """Return the first contract and each amended one, given all agreed offers.

    Args:
        offers: the offers that all parties accepted, in order, each with its first turn in force.
    """
    chain: list[Contract] = []
    for offer, turn in offers:
        chain.append(amend(chain[-1], offer, turn) if chain else sign(offer, turn))
    return chain


def _contract(offer: Offer, previous: str | None, terms: list[Term]) -> Contract:
    signature = {"revision": offer["revision"], "hash": offer["hash"]}
    contract: Contract = {
        "hash": offer["hash"] if previous is None else digest([previous, offer["hash"]]),
        "previous": previous,
        "terms": terms,
        "text": "",
        "signatures": {agent: dict(signature) for agent in offer["accepted"]},
    }
    return {**contract, "text": "\n".join(lines_of(in_force(contract)))}


def _terms(offer: Offer, from_turn: int, start: int) -> list[Term]:
    return [
        {"id": f"c{n}", "clause": clause, "from_turn": from_turn, "to_turn": None}
        for n, clause in enumerate(offer["deal"]["clauses"], start=start)
    ]


def _end_term(term: Term, deal: Deal, from_turn: int) -> Term:
    clause = clause_of(term)
    replaced = (
        not clause.lasts
        or (clause.split is not None and deal.split is not None)
        or term["id"] in deal.drops
    )
    if term["to_turn"] is not None or not replaced:
        return term
    return {**term, "to_turn": from_turn - 1}
