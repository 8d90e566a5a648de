"""A deal: a list of typed clauses, its plain-English text and its hash; offers of one."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict  # pydantic reads it, and asks for this before 3.12

from shapley_coop.canonical import cache_key, digest
from shapley_coop.deals.language.clauses import AnyClause, Clause, lines_of
from shapley_coop.deals.language.effects import Split
from shapley_coop.deals.language.faults import Fault

MAX_CLAUSES = 256
"""In what an agent writes in a letter."""

MOST_CLAUSES = 20_000
"""In any deal: one that a workflow makes itself, of the orders of many, can have more."""


class Deal(BaseModel):
    """What agents can agree on. Clause i is cited as `c{i+1}`.

    `drops` ends payments or the share of the contract that stands, by their ids. What follows from
    a deal is worked out once, and is the same object for all who ask: nobody changes it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    clauses: tuple[AnyClause, ...] = Field(default=(), max_length=MOST_CLAUSES)
    drops: tuple[str, ...] = Field(default=(), max_length=MAX_CLAUSES)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Deal":
        """The deal of a record, as `record` gives it; one that is read again is the same object.

        Raises:
            pydantic.ValidationError: it is none.
        """
        return _read(cache_key(record))

    def ids(self) -> dict[str, Clause]:
        """Return the clauses by the ids that people and breaches cite."""
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
        """By which caches find it; `hash` names it."""
        return hash(self._key)

    def hash(self) -> str:
        """SHA-256 of the canonical JSON (RFC 8785), with exact numbers as strings."""
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
        """How the total is split, if a clause says so."""
        return next((split for c in self.clauses if (split := c.split)), None)

    @cached_property
    def pays(self) -> dict[str, Clause]:
        """The payments, by clause id."""
        return {cid: c for cid, c in self.ids().items() if c.transfer}

    @cached_property
    def duties(self) -> dict[str, Clause]:
        """What must or must not be done, by clause id."""
        return {cid: c for cid, c in self.ids().items() if c.duty}


# A deal is put, shown, answered and signed: each of these reads it, and names it by its hash.
@lru_cache(maxsize=1024)
def _read(record: bytes) -> Deal:
    return Deal.model_validate_json(record)


@lru_cache(maxsize=1024)
def _hash(record: bytes) -> str:
    return digest(json.loads(record))


class Offer(TypedDict):
    """A draft deal on the table. An acceptance names its revision and its hash."""

    revision: int  # from 1; the next offer of the same talk has the next number
    by: str
    deal: dict[str, Any]
    hash: str
    accepted: list[str]  # who accepted this revision; its author accepts by proposing it


def put(deal: Deal, by: str, revision: int) -> Offer:
    """Put a draft on the table; its author has accepted it."""
    return {
        "revision": revision,
        "by": by,
        "deal": deal.record(),
        "hash": deal.hash(),
        "accepted": [by],
    }


def accept(offer: Offer, by: str, revision: int, digest: str) -> Offer | Fault:
    """Accept exactly the revision and hash that stand; anything else is a fault (STALE)."""
    if (revision, digest) != (offer["revision"], offer["hash"]):
        standing = f"revision {offer['revision']}, hash {offer['hash'][:12]}"
        return Fault("STALE", f"You accepted another offer: what stands is {standing}.")
    return {**offer, "accepted": sorted({*offer["accepted"], by})}


def unanimous(offer: Offer | None, parties: Sequence[str]) -> bool:
    """Return whether every party has accepted the offer."""
    return offer is not None and set(offer["accepted"]) >= set(parties)
