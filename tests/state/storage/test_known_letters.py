"""An answered letter is found in the journal; an end seals each row."""

import hashlib
import json
from typing import Any

from shapley_coop.seats.records import Answer, Asked, Entry, nonce
from shapley_coop.state import RunConfig, home
from shapley_coop.state.storage.chain import _digest

ROOM = RunConfig(game="escape_room", seed=3)


def entry(agent: str) -> Entry:
    return Entry(agent, "act", "m", f"letter to {agent}", "Choose.", 1, Answer("yes"), nonce())


async def test_what_was_answered_before_or_since_is_found_and_not_asked_again() -> None:
    journal, ann, bob = home().journal, entry("Ann"), entry("Bob")
    asked = [Asked(one.agent, one.letter, 1) for one in (ann, bob)]
    journal.write("e", ann)
    assert journal.found("e", asked) == [ann, None]
    await journal.keep("e", bob)
    assert journal.found("e", asked) == [ann, bob]
    assert journal.found("e", []) == []


def test_a_row_is_sealed_by_the_hash_of_its_json_whatever_its_bytes_are() -> None:
    rows: list[dict[str, Any]] = [
        {"text": "Zoë:\n<s>", "letter_text": bytes(range(256)), "b": memoryview(b""), "n": 0.5},
        {"text": "no bytes", "of": [1, {"x": None}]},
    ]
    for row in rows:
        plain = {k: bytes(x).hex() if k in ("letter_text", "b") else x for k, x in row.items()}
        whole = json.dumps(plain, sort_keys=True).encode()
        assert _digest(row) == hashlib.sha256(whole).hexdigest()
