"""What a party signs when it binds itself to an offer, and how a signature travels in an answer.

An answer carries it as one element beside the others::

    <ACCEPT><SIGNATURE>KEYID BASE64</SIGNATURE>

`settings` is the digest of what decides who gets what (`state.signed_settings`), so that nobody can
pass an acceptance off as one by other rules. `topic` and `turn` are signed beside what the wire's
acceptance names, because revisions begin anew in every bargaining: without them an acceptance of a
plan could be passed off as one of a later renegotiation with the same clauses.
"""

import base64
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict  # pydantic reads it, and asks for this before 3.12

from shapley_coop.canonical import canonical
from shapley_coop.extensions.proof.envelope import base64_bytes, pae

if TYPE_CHECKING:
    from shapley_coop.extensions.proof.keys import PrivateKey, PublicKey

BINDING = "application/vnd.coop.acceptance+json"
"""The payload type of an acceptance, a proposal's own included."""

_ELEMENT = re.compile(r"<SIGNATURE>(.{0,400}?)</SIGNATURE>", re.IGNORECASE | re.DOTALL)
_INSIDE = re.compile(r"\s*([0-9a-f]{64})\s+([A-Za-z0-9+/]{40,160}={0,2})\s*")


class Binding(TypedDict):
    """An acceptance; its author accepts an offer by proposing it."""

    accepts: str  # the hash of the offer
    agent: str
    episode: str
    revision: int
    settings: str  # their digest
    topic: str  # the bargaining
    turn: int  # the turn before which it was said


class Signature(TypedDict):
    """A signature as the record keeps it."""

    keyid: str
    sig: str  # base64


def binding(
    *, agent: str, episode: str, settings: str, topic: str, turn: int, revision: int, accepts: str
) -> Binding:
    """Return what an agent signs when it accepts."""
    return {
        "accepts": accepts,
        "agent": agent,
        "episode": episode,
        "revision": revision,
        "settings": settings,
        "topic": topic,
        "turn": turn,
    }


def sign_binding(key: "PrivateKey", bound: Binding) -> Signature:
    """Sign an acceptance."""
    signature = key.sign(pae(BINDING, canonical(bound)))
    return {"keyid": key.public.keyid, "sig": base64.b64encode(signature).decode()}


def is_signed(key: "PublicKey", bound: Mapping[str, Any], signature: Mapping[str, Any]) -> bool:
    """Return whether exactly this acceptance was signed with this key."""
    if signature.get("keyid") != key.keyid:
        return False
    try:
        given = base64_bytes(signature.get("sig"))
    except ValueError:
        return False
    return key.verifies(pae(BINDING, canonical(bound)), given)


def element(signature: Signature) -> str:
    """Return a signature as an answer carries it."""
    return f"<SIGNATURE>{signature['keyid']} {signature['sig']}</SIGNATURE>"


def signature_in(text: str) -> Signature | None:
    """Return the signature that an answer carries; None if it has none, several, or one unreadable.

    >>> signature_in("<ACCEPT>") is None
    True
    """
    found = _ELEMENT.findall(text)
    read = _INSIDE.fullmatch(found[0]) if len(found) == 1 else None
    return {"keyid": read[1], "sig": read[2]} if read else None


def without_signature(text: str) -> str:
    """Return an answer without what is signed under it, for those who read the rest.

    >>> without_signature("ACCEPT<SIGNATURE>00 AA==</SIGNATURE>")
    'ACCEPT'
    """
    return _ELEMENT.sub("", text) if "<SIGNATURE>" in text.upper() else text
