"""Who plays by a lease looks once which letters are answered; an end seals each row."""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from shapley_coop.graphs.running import play
from shapley_coop.seats.records import Answer, Asked, Entry, nonce
from shapley_coop.state import RunConfig, home
from shapley_coop.state.storage.chain import _digest
from shapley_coop.state.storage.driver import Row
from shapley_coop.state.storage.journal import Journal
from shapley_coop.state.storage.leases import Lease, held

ROOM = RunConfig(game="escape_room", seed=3)


def entry(agent: str) -> Entry:
    return Entry(agent, "act", "m", f"letter to {agent}", "Choose.", 1, Answer("yes"), nonce())


async def test_a_run_looks_once_which_of_its_letters_are_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: Counter[str] = Counter()
    names, rows = Journal._answered, Journal._answers_to

    def letters_of(self: Journal, episode: str) -> frozenset[str]:
        looked["names"] += 1
        return names(self, episode)

    def answers_to(self: Journal, episode: str, letters: Sequence[str]) -> list[Row]:
        looked["rows"] += 1
        return rows(self, episode, letters)

    monkeypatch.setattr(Journal, "_answered", letters_of)
    monkeypatch.setattr(Journal, "_answers_to", answers_to)
    await play("negotiation", ROOM)
    assert looked == {"names": 1}


async def test_what_was_answered_before_the_lease_or_since_is_found_and_not_asked_again() -> None:
    journal, ann, bob = home().journal, entry("Ann"), entry("Bob")
    asked = [Asked(one.agent, one.letter, 1) for one in (ann, bob)]
    journal.write("e", ann)
    with held(Lease()):
        assert journal.found("e", asked) == [ann, None]
        await journal.keep("e", bob)
        assert journal.found("e", asked) == [ann, bob]
    assert journal.found("e", asked) == [ann, bob]


async def test_who_goes_on_after_a_lease_looks_again() -> None:
    journal, ann, lease = home().journal, entry("Ann"), Lease()
    asked = [Asked("Ann", ann.letter, 1)]
    with held(lease):
        assert journal.found("e", asked) == [None]
    await asyncio.to_thread(journal.write, "e", ann)  # by whoever has the lease now
    with held(lease):
        assert journal.found("e", asked) == [ann]


def test_a_row_is_sealed_by_the_hash_of_its_json_whatever_its_bytes_are() -> None:
    rows: list[dict[str, Any]] = [
        {"text": "Zoë:\n<s>", "letter_text": bytes(range(256)), "b": memoryview(b""), "n": 0.5},
        {"text": "no bytes", "of": [1, {"x": None}]},
    ]
    for row in rows:
        plain = {k: bytes(x).hex() if k in ("letter_text", "b") else x for k, x in row.items()}
        whole = json.dumps(plain, sort_keys=True).encode()
        assert _digest(row) == hashlib.sha256(whole).hexdigest()
