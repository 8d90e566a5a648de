"""Deals: lists of typed clauses with a plain-English text and a hash; and offers of deals."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict  # pydantic needs this TypedDict before Python 3.12

from shapley_coop.canonical import cache_key, digest
from shapley_coop.deals.language.clauses import AnyClause, Clause, lines_of
from shapley_coop.deals.language.effects import Split
from shapley_coop.deals.language.faults import Fault

MAX_CLAUSES = 256
"""The largest number of clauses in a proposal that an agent writes."""

MOST_CLAUSES = 20_000
"""The largest number of clauses in any deal, for example a deal made of many agents' orders."""


class Deal(BaseModel):
    """A list of clauses on which agents can agree. The ids of the clauses are c1, c2, …

    `drops` has the ids of the payments, gifts and share in the contract in force that the deal
    ends. The properties are computed once: callers share the objects and must not change them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    clauses: tuple[AnyClause, ...] = Field(default=(), max_length=MOST_CLAUSES)
    drops: tuple[str, ...] = Field(default=(), max_length=MAX_CLAUSES)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Deal":
        """Return the deal written by `record`; the same record gives the same cached object.

        Raises:
            pydantic.ValidationError: the record is not a valid deal.
        """
        return _read(cache_key(record))

    def ids(self) -> dict[str, Clause]:
        """Return clause id → clause; the ids are c1, c2, …"""
        return self._by_id

    @cached_property
    def _by_id(self) -> dict[str, Clause]:
        return {f"c{i}": clause for i, clause in enumerate(self.clauses, start=1)}

    def record(self) -> dict[str, Any]:
        """Return the deal as plain JSON."""
        return self.model_dump(mode="json", exclude=None if self.drops else {"drops"})

    @cached_property
    def _key(self) -> bytes:
        return cache_key(self.record())

    def __hash__(self) -> int:
        """Return the hash for Python's caches; `hash()` gives the deal's public hash."""
        return hash(self._key)

    def hash(self) -> str:
        """Return the SHA-256 of the canonical JSON (RFC 8785), with exact numbers as strings."""
        return _hash(self._key)

    def text(self) -> str:
        """Return the deal in plain English, a numbered line per clause."""
        return self._text

    @cached_property
    def _text(self) -> str:
        ends = [f"Of the contract that stands, {cid} ends." for cid in self.drops]
        return "\n".join([*lines_of(self.ids()), *ends])

    @cached_property
    def split(self) -> Split | None:
        """The split of the total, or None if no clause splits it."""
        return next((split for c in self.clauses if (split := c.split)), None)

    @cached_property
    def pays(self) -> dict[str, Clause]:
        """The payments, by clause id."""
        return {cid: c for cid, c in self.ids().items() if c.transfer}

    @cached_property
    def duties(self) -> dict[str, Clause]:
        """The clauses that require or forbid an action, by clause id."""
        return {cid: c for cid, c in self.ids().items() if c.duty}


# Offering, showing, answering and signing each read the same deal and its hash: cache both.
@lru_cache(maxsize=1024)
def _read(record: bytes) -> Deal:
    return Deal.model_validate_json(record)


@lru_cache(maxsize=1024)
def _hash(record: bytes) -> str:
    return digest(json.loads(record))


class Offer(TypedDict):
    """A deal that one agent proposes. An acceptance names the offer's revision and hash."""

    revision: int  # from 1; each later offer of the same talk has the next number
    by: str
    deal: dict[str, Any]
    hash: str
    accepted: list[str]  # agents that accepted this revision; its author accepts by proposing


def put(deal: Deal, by: str, revision: int) -> Offer:
    """Return the offer of a deal by its author, who counts as having accepted it."""
    return {
        "revision": revision,
        "by": by,
        "deal": deal.record(),
        "hash": deal.hash(),
        "accepted": [by],
    }


def accept(offer: Offer, by: str, revision: int, digest: str) -> Offer | Fault:
    """Return the offer with an agent's acceptance; a wrong revision or hash is a STALE fault."""
    if (revision, digest) != (offer["revision"], offer["hash"]):
        standing = f"revision {offer['revision']}, hash {offer['hash'][:12]}"
        return Fault("STALE", f"You accepted another offer: what stands is {standing}.")
    return {**offer, "accepted": sorted({*offer["accepted"], by})}


def unanimous(offer: Offer | None, parties: Sequence[str]) -> bool:
    """Return whether every party has accepted the offer."""
    return offer is not None and set(offer["accepted"]) >= set(parties)
