"""Changes of exports: of a byte by anybody, or of a field by the operator, who signs it anew."""

import json
from random import Random
from typing import Any, NamedTuple

from extensions.proof.tests.random_exports import Export
from shapley_coop.canonical import canonical, digest
from shapley_coop.extensions.proof.envelope import as_bytes
from shapley_coop.extensions.proof.statement import envelope_signed


class Lie(NamedTuple):
    """A changed file.

    Attributes:
        content: the file.
        path: the changed field, or "" for a byte.
        of_name: whether the change is of what the name of a game or norm means.
        signed: whether a party signed what was changed.
    """

    content: bytes
    path: str
    of_name: bool = False
    signed: bool = False


OWN_WORD = {"code", "begun", "ledger", "by", "reckoned", "record"}
"""What only the operator states; docs/verify.md says so."""

_OF_NAME = ("predicate.table", "predicate.settings.game", "predicate.settings.params")
_NORM = "predicate.settings.norm"


def byte_lie(chance: Random, export: Export) -> Lie:
    """A file with one byte changed, left out, put in or exchanged with the next."""
    return Lie(changed_byte(chance, export.content), "")


def changed_byte(chance: Random, content: bytes) -> bytes:
    at = chance.randrange(len(content) - 1)
    before, byte, after = content[:at], content[at : at + 1], content[at + 1 :]
    other = bytes([byte[0] ^ chance.randrange(1, 256)])
    changed = [before + other + after, before + after, before + other + byte + after]
    swapped = before + after[:1] + byte + after[1:]
    return chance.choice([*changed, *([swapped] if swapped != content else [])])


def field_lie(chance: Random, export: Export) -> Lie:
    """A file in which the operator changed one field; half of the time it redid the hashes."""
    statement, path = changed_field(chance, export.statement)
    is_named = "table" in export.statement["predicate"]
    named = path == _NORM or (is_named and path.startswith(_OF_NAME))
    of = [int(part) for part in path.split(".")[2:3] if path.startswith("predicate.agreements.")]
    agreed = export.statement["predicate"]["agreements"]
    signed = any(one["signatures"] for n, one in enumerate(agreed) if n in of or not of)
    return Lie(as_bytes(envelope_signed(statement, [export.operator])), path, named, signed)


def changed_field(chance: Random, right: Any) -> tuple[Any, str]:
    """A statement with one field changed, and the field; half of the time with hashes redone."""
    before = canonical(right)
    statement: Any = json.loads(before)
    path = ""
    while canonical(statement) == before:
        path = _change(chance, statement, ["predicate"] if chance.random() < 0.95 else [])
        if chance.random() < 0.5:
            _redo_hashes(statement)
    return statement, path


def _change(chance: Random, whole: Any, path: list[Any]) -> str:
    holder, key = None, None
    value = whole
    for step in path:
        holder, key, value = value, step, value[step]
    while isinstance(value, dict | list) and value and (holder is None or chance.random() < 0.85):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        holder, key = value, chance.choice(keys)
        value = value[key]
        path = [*path, key]
    holder[key] = _other(chance, value)
    return ".".join(map(str, path))


def _other(chance: Random, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return chance.choice([value + 1, value - 1, str(value)])
    if isinstance(value, str):
        return _other_text(chance, value)
    if isinstance(value, list):
        again = [*value, *value[:1]]
        return chance.choice([value[1:], again, value[::-1], dict(enumerate(value)) and {}])
    if isinstance(value, dict):
        kept = dict(value)
        for key in list(kept)[: chance.randrange(2)]:
            del kept[key]
        return chance.choice([kept, {**value, "more": 1}, list(value)])
    return chance.choice(["more", 0, {}])


def _other_text(chance: Random, text: str) -> Any:
    if text.removeprefix("-").isdecimal() and len(text) < 20:
        return chance.choice([str(int(text) + 1), f"{text}.0", f"0{text}", int(text)])
    at = chance.randrange(len(text) + 1)
    more = chance.choice("aZ0é ")
    return chance.choice(
        [text[:at] + more + text[at + 1 :], text[:at] + more + text[at:], text[1:], None]
    )


def _redo_hashes(statement: Any) -> None:
    """Let the subjects name what the statement now holds, as far as it can be hashed."""
    predicate = statement.get("predicate")
    if not isinstance(predicate, dict) or not isinstance(statement.get("subject"), list):
        return
    money = ("basis", "rewards", "transfers", "forfeits", "payoffs")
    hashed = {key: predicate.get(key) for key in ("record", "settings")}
    hashed["settlement"] = {part: predicate.get(part) for part in money}
    for one in statement["subject"]:
        if isinstance(one, dict) and one.get("name") in ("record", "settings", "settlement"):
            one["digest"] = {"sha256": digest(hashed[one["name"]])}
