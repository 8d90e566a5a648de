"""A contract: a deal that everyone accepted. One stands at a time; amendments are chained."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter
from typing_extensions import TypedDict  # pydantic reads it, and asks for this before 3.12

from shapley_coop.canonical import cache_key, digest
from shapley_coop.deals.language.clauses import AnyClause, Clause, lines_of
from shapley_coop.deals.language.deal import Deal, Offer, put
from shapley_coop.deals.language.effects import Split

_clause: TypeAdapter[Clause] = TypeAdapter(AnyClause)


class Term(TypedDict):
    """One clause of a contract and the turns for which it stands."""

    id: str  # c1, c2, …; an amendment counts on
    clause: dict[str, Any]
    from_turn: int
    to_turn: int | None  # the last turn for which it stands; None while it does


class Contract(TypedDict):
    """A signed deal with its amendments."""

    hash: str  # of the offer; of an amendment, chained to what it amends
    previous: str | None  # the hash of the contract it amends
    terms: list[Term]  # all clauses ever, those that ended included
    text: str  # the clauses in force, in plain English
    signatures: dict[str, dict[str, Any]]  # agent → the revision and hash it accepted


def sign(offer: Offer, from_turn: int) -> Contract:
    """Make the unanimously accepted offer a contract from `from_turn` on."""
    return _contract(offer, None, _terms(offer, from_turn, start=1))


def amend(contract: Contract, offer: Offer, from_turn: int) -> Contract:
    """Amend a contract by an offer that all accepted.

    Obligations are replaced from `from_turn` on. Payments stay in force unless the offer drops
    them by id; so does the share, unless the offer drops it or has its own.
    """
    deal = Deal.of(offer["deal"])
    kept = [_end_term(term, deal, from_turn) for term in contract["terms"]]
    return _contract(offer, contract["hash"], kept + _terms(offer, from_turn, start=len(kept) + 1))


def agreed_from(deal: Deal, standing: Contract | None, now: int) -> Contract:
    """Return the contract from turn `now` on, if the deal were signed.

    The deal's clauses keep the ids that its letter shows; those of the standing contract are
    prefixed with "standing".
    """
    offer = put(deal, "", 1)
    contract = amend(standing, offer, now) if standing else sign(offer, now)
    before = len(contract["terms"]) - len(deal.clauses)
    names = [f"standing {term['id']}" for term in contract["terms"][:before]]
    pairs = zip([*names, *deal.ids()], contract["terms"], strict=True)
    return {**contract, "terms": [{**term, "id": cid} for cid, term in pairs]}


def in_force(contract: Contract | None) -> dict[str, Clause]:
    """Return the clauses that stand now, by id; none without a contract."""
    terms = contract["terms"] if contract else []
    return {term["id"]: clause_of(term) for term in terms if term["to_turn"] is None}


def clause_of(term: Term) -> Clause:
    """Return the clause of a term."""
    return _read(cache_key(term["clause"]))


@lru_cache(maxsize=4096)
def _read(clause: bytes) -> Clause:
    return _clause.validate_json(clause)


def split_of(contract: Contract | None) -> Split | None:
    """Return how the total is split, if a clause in force says so."""
    return next((split for c in in_force(contract).values() if (split := c.split)), None)


def lasting_clauses(clauses: Mapping[str, Clause]) -> dict[str, Clause]:
    """Those of some clauses that stand until they are dropped: payments, gifts, the split."""
    return {cid: clause for cid, clause in clauses.items() if clause.lasts}


def rebuilt(offers: Sequence[tuple[Offer, int]]) -> list[Contract]:
    """Return the contract after each of its agreed offers.

    Args:
        offers: what all accepted, in order, each with the turn from which it stands.
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
