"""Changes of signed files by somebody without a key: no signature is made anew."""

import base64
import json
from collections.abc import Callable
from random import Random
from typing import Any

from extensions.proof.tests.lies import changed_byte, changed_field
from shapley_coop.canonical import canonical

Forgery = Callable[[Random, bytes, bytes], bytes]
"""The maker of a changed file, from a signed one and another signed one."""


def _byte(chance: Random, file: bytes, other: bytes) -> bytes:
    return changed_byte(chance, file)


def _some_bytes(chance: Random, file: bytes, other: bytes) -> bytes:
    content = bytearray(file)
    for at in chance.sample(range(len(content)), chance.randrange(2, 9)):
        content[at] ^= chance.randrange(1, 256)
    return bytes(content)


def _cut_off(chance: Random, file: bytes, other: bytes) -> bytes:
    return file[: chance.randrange(len(file))]


def _joined(chance: Random, file: bytes, other: bytes) -> bytes:
    at = chance.randrange(1, min(len(file), len(other)) - 1)
    return file[:at] + other[at:]


def _written_otherwise(chance: Random, file: bytes, other: bytes) -> bytes:
    """The same content in another order or with other blanks."""
    whole = json.loads(file)
    turned = dict(reversed(whole.items()))
    forms = [json.dumps(whole), json.dumps(whole, indent=1), json.dumps(turned)]
    return chance.choice([canonical(whole), *map(str.encode, forms)])


def _base64(chance: Random, file: bytes, other: bytes) -> bytes:
    """Another character, an alphabet for URLs, or no padding, in the payload or in a signature."""
    whole = json.loads(file)
    holder, key = chance.choice([(whole, "payload"), (whole["signatures"][0], "sig")])
    text = holder[key]
    at = chance.randrange(len(text))
    forms = [
        text[:at] + chance.choice("AZaz09+/=-_ \n") + text[at + 1 :],
        text.translate(str.maketrans("+/", "-_")),
        text.rstrip("="),
        text + "=",
        text[:at] + text[at + 1 :],
    ]
    holder[key] = chance.choice(forms)
    return _file(whole)


def _payload_byte(chance: Random, file: bytes, other: bytes) -> bytes:
    payload = bytearray(_payload(file))
    payload[chance.randrange(len(payload))] ^= chance.randrange(1, 256)
    return _with_payload(file, bytes(payload))


def _field(chance: Random, file: bytes, other: bytes) -> bytes:
    """A field of the statement that is changed, left out or added; half with hashes redone."""
    statement, _ = changed_field(chance, json.loads(_payload(file)))
    return _with_payload(file, canonical(statement))


def _number(chance: Random, file: bytes, other: bytes) -> bytes:
    """A number in the statement, of which another digit is written."""
    text = _payload(file).decode()
    at = chance.choice([n for n, one in enumerate(text) if one.isascii() and one.isdigit()])
    digit = chance.choice([one for one in "0123456789" if one != text[at]])
    return _with_payload(file, (text[:at] + digit + text[at + 1 :]).encode())


def _envelope(chance: Random, file: bytes, other: bytes) -> bytes:
    """A field of the envelope that is left out, added or of another type."""
    whole = json.loads(file)
    holder = chance.choice([whole, whole["signatures"][0]])
    key = chance.choice([*holder])
    left = {one: value for one, value in holder.items() if one != key}
    made = chance.choice([left, {**holder, "more": 1}, {**holder, key: [holder[key]]}, {}])
    return _file(made if holder is whole else {**whole, "signatures": [made]})


def _signatures(chance: Random, file: bytes, other: bytes) -> bytes:
    """Signatures that are left out, doubled, or of another file, and names of other keys."""
    whole = json.loads(file)
    own, theirs = whole["signatures"], json.loads(other)["signatures"]
    swapped = [{**own[0], "sig": theirs[0]["sig"]}]
    renamed = [{**own[0], "keyid": chance.randbytes(32).hex()}]
    cut = [{**own[0], "sig": base64.b64encode(chance.randbytes(64)).decode()}]
    made = chance.choice([[], own * 2, theirs, swapped, renamed, cut, [*own, *swapped]])
    return _file({**whole, "signatures": made})


def _payload_of_another(chance: Random, file: bytes, other: bytes) -> bytes:
    whole = json.loads(file)
    return _file({**whole, "payload": json.loads(other)["payload"]})


FORGERIES: dict[str, Forgery] = {
    "one byte": _byte,
    "several bytes": _some_bytes,
    "cut off": _cut_off,
    "two files joined": _joined,
    "other blanks or order": _written_otherwise,
    "base64": _base64,
    "a byte of the payload": _payload_byte,
    "a field of the statement": _field,
    "a digit of a number": _number,
    "a field of the envelope": _envelope,
    "signatures": _signatures,
    "another's payload": _payload_of_another,
}


def forge(chance: Random, kind: str, file: bytes, other: bytes) -> bytes:
    """Return a changed file of a kind; its bytes differ from those of both files."""
    while True:
        content = FORGERIES[kind](chance, file, other)
        if content not in (file, other):
            return content


def _payload(file: bytes) -> bytes:
    return base64.b64decode(json.loads(file)["payload"])


def _with_payload(file: bytes, payload: bytes) -> bytes:
    return _file({**json.loads(file), "payload": base64.b64encode(payload).decode()})


def _file(whole: Any) -> bytes:
    return canonical(whole) + b"\n"
