"""DSSE envelopes (github.com/secure-systems-lab/dsse, v1), of which only one form is accepted.

Signatures cover the pre-authentication encoding of payload and payload type. A file holds the
envelope as canonical JSON and a line break. So a changed byte always gives another envelope or an
error.
"""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shapley_coop.canonical import canonical
from shapley_coop.files import json_of

if TYPE_CHECKING:
    from shapley_coop.extensions.proof.keys import PrivateKey

MOST_BYTES = 64_000_000
"""The largest size of an envelope's file."""


@dataclass(frozen=True)
class Envelope:
    """A payload with its signatures.

    Attributes:
        payload_type: the payload's media type.
        payload: the payload as canonical JSON.
        signatures: key id → signature.
    """

    payload_type: str
    payload: bytes
    signatures: dict[str, bytes]

    @property
    def message(self) -> bytes:
        """The bytes that each signature covers."""
        return pae(self.payload_type, self.payload)

    @property
    def content(self) -> Any:
        """The content of the payload, parsed from JSON."""
        return json_of(self.payload.decode())

    def record(self) -> dict[str, Any]:
        """Return the envelope as JSON-compatible data."""
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
    """Return an envelope of JSON-compatible content, signed with each of the keys."""
    payload = canonical(content)
    message = pae(payload_type, payload)
    return Envelope(payload_type, payload, {k.public.keyid: k.sign(message) for k in keys})


def as_bytes(envelope: Envelope) -> bytes:
    """Return the content of an envelope's file."""
    return canonical(envelope.record()) + b"\n"


def read_envelope(content: bytes, source: str = "the envelope") -> Envelope:
    """Return the envelope in a file's bytes; its signatures are not verified yet.

    Args:
        content: the unchanged bytes of the file.
        source: the name of the file in errors.

    Raises:
        ValueError: there are too many bytes, or they are not an envelope in canonical form.
    """
    try:
        if len(content) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES} bytes")
        envelope = _envelope(json_of(content.decode()))
        if as_bytes(envelope) != content:
            raise ValueError("another program wrote it, or it was changed")
        if canonical(envelope.content) != envelope.payload:
            raise ValueError("its payload is not canonical JSON")
    except (ValueError, RecursionError) as error:
        said = str(error) or type(error).__name__
        raise ValueError(f"{source} is not a signed envelope as coop writes it: {said}") from None
    return envelope


def envelope_of(record: Any) -> Envelope:
    """Return the envelope in JSON-compatible data.

    Raises:
        ValueError: keys are missing or unknown, or a value has another type.
    """
    return _envelope(record)


def _envelope(record: Any) -> Envelope:
    if not isinstance(record, dict) or record.keys() != {"payload", "payloadType", "signatures"}:
        raise ValueError("it must contain payload, payloadType and signatures")
    listed = record["signatures"]
    if not isinstance(record["payloadType"], str) or not isinstance(listed, list) or not listed:
        raise ValueError("payloadType must be a text, and signatures a list")
    signatures: dict[str, bytes] = {}
    for one in listed:
        if not isinstance(one, dict) or one.keys() != {"keyid", "sig"}:
            raise ValueError("a signature must have keyid and sig")
        if not isinstance(one["keyid"], str) or one["keyid"] in signatures:
            raise ValueError("two signatures are by the same key")
        signatures[one["keyid"]] = base64_bytes(one["sig"])
    return Envelope(record["payloadType"], base64_bytes(record["payload"]), signatures)


def base64_bytes(text: Any) -> bytes:
    """Return the bytes of a base64 text in canonical form.

    Raises:
        ValueError: the text is not canonical base64.
    """
    try:
        if not isinstance(text, str):
            raise ValueError
        found = base64.b64decode(text, validate=True)
        if base64.b64encode(found).decode() != text:
            raise ValueError
    except (ValueError, binascii.Error):
        raise ValueError("a value is not base64") from None
    return found
