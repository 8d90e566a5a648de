"""DSSE envelopes (github.com/secure-systems-lab/dsse, v1), read so strictly that each has one form.

What is signed is the pre-authentication encoding of payload and payload type. A file holds the
envelope as canonical JSON and a line break, so that a file with any other byte is another envelope,
or none.
"""

import base64
import binascii
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shapley_coop.canonical import canonical
from shapley_coop.files import no_number, unique_keys

if TYPE_CHECKING:
    from shapley_coop.extensions.proof.keys import PrivateKey

MOST_BYTES = 64_000_000
"""Of a file that is read as an envelope."""


@dataclass(frozen=True)
class Envelope:
    """A payload with its signatures.

    Attributes:
        payload_type: its media type.
        payload: the bytes that were signed, as canonical JSON.
        signatures: key id → signature.
    """

    payload_type: str
    payload: bytes
    signatures: dict[str, bytes]

    @property
    def message(self) -> bytes:
        """What each signature is of."""
        return pae(self.payload_type, self.payload)

    @property
    def content(self) -> Any:
        """The payload, read."""
        return _read(self.payload.decode())

    def record(self) -> dict[str, Any]:
        """Return the envelope as plain JSON."""
        return {
            "payload": base64.b64encode(self.payload).decode(),
            "payloadType": self.payload_type,
            "signatures": [
                {"keyid": keyid, "sig": base64.b64encode(signature).decode()}
                for keyid, signature in self.signatures.items()
            ],
        }


def pae(payload_type: str, payload: bytes) -> bytes:
    """Return the pre-authentication encoding of DSSE v1.

    >>> pae("http://example.com/HelloWorld", b"hello world")
    b'DSSEv1 29 http://example.com/HelloWorld 11 hello world'
    """
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def sign_envelope(payload_type: str, content: Any, keys: Iterable["PrivateKey"]) -> Envelope:
    """Sign plain JSON with one key or several."""
    payload = canonical(content)
    message = pae(payload_type, payload)
    return Envelope(payload_type, payload, {k.public.keyid: k.sign(message) for k in keys})


def as_bytes(envelope: Envelope) -> bytes:
    """Return the envelope as its file holds it."""
    return canonical(envelope.record()) + b"\n"


def read_envelope(content: bytes, source: str = "the envelope") -> Envelope:
    """An envelope from a file's bytes; signatures are not verified yet.

    Args:
        content: the bytes, exactly as they were written.
        source: where they come from, for the error.

    Raises:
        ValueError: they are no envelope, or not in the one form that it has.
    """
    try:
        if len(content) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES} bytes")
        envelope = _envelope(_read(content.decode()))
        if as_bytes(envelope) != content:
            raise ValueError("it was written by another program, or changed")
        if canonical(envelope.content) != envelope.payload:
            raise ValueError("its payload is no canonical JSON")
    except (ValueError, RecursionError) as error:
        said = str(error) or type(error).__name__
        raise ValueError(f"{source} is no signed envelope as coop writes it: {said}") from None
    return envelope


def envelope_of(record: Any) -> Envelope:
    """Return an envelope from plain JSON.

    Raises:
        ValueError: it has other keys, or values of another kind.
    """
    return _envelope(record)


def _envelope(record: Any) -> Envelope:
    if not isinstance(record, dict) or record.keys() != {"payload", "payloadType", "signatures"}:
        raise ValueError("it has to hold payload, payloadType and signatures")
    listed = record["signatures"]
    if not isinstance(record["payloadType"], str) or not isinstance(listed, list) or not listed:
        raise ValueError("payloadType is a text, and signatures is a list")
    signatures: dict[str, bytes] = {}
    for one in listed:
        if not isinstance(one, dict) or one.keys() != {"keyid", "sig"}:
            raise ValueError("a signature has keyid and sig")
        if not isinstance(one["keyid"], str) or one["keyid"] in signatures:
            raise ValueError("each signature is of another key")
        signatures[one["keyid"]] = base64_bytes(one["sig"])
    return Envelope(record["payloadType"], base64_bytes(record["payload"]), signatures)


def base64_bytes(text: Any) -> bytes:
    """Bytes from base64 in its one form.

    Raises:
        ValueError: it is written otherwise.
    """
    try:
        if not isinstance(text, str):
            raise ValueError
        found = base64.b64decode(text, validate=True)
        if base64.b64encode(found).decode() != text:
            raise ValueError
    except (ValueError, binascii.Error):
        raise ValueError("a value is no base64") from None
    return found


def _read(text: str) -> Any:
    return json.loads(text, object_pairs_hook=unique_keys, parse_constant=no_number)
