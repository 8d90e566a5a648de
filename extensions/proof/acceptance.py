"""The content that a party signs when it accepts an offer, and the signature's form in an answer.

The signature is one more element in the answer::

    <ACCEPT><SIGNATURE>KEYID BASE64</SIGNATURE>

The content holds `settings`, a digest of all settings that decide payoffs (`signed_settings`), so
that nobody can reuse an acceptance under other rules. It also holds `topic` and `turn`, because
every bargaining counts revisions anew. Without them, an acceptance of a plan could be reused in a
later renegotiation with the same clauses.
"""

import base64
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict  # before 3.12, pydantic rejects Python's own TypedDict

from shapley_coop.canonical import canonical
from shapley_coop.extensions.proof.envelope import base64_bytes, pae

if TYPE_CHECKING:
    from shapley_coop.extensions.proof.keys import PrivateKey, PublicKey

BINDING = "application/vnd.coop.acceptance+json"
"""The payload type of an acceptance; an author's proposal counts as an acceptance."""

_ELEMENT = re.compile(r"<SIGNATURE>(.{0,400}?)</SIGNATURE>", re.IGNORECASE | re.DOTALL)
_INSIDE = re.compile(r"\s*([0-9a-f]{64})\s+([A-Za-z0-9+/]{40,160}={0,2})\s*")


class Binding(TypedDict):
    """The signed content of an acceptance; the author of an offer accepts it by proposing it."""

    accepts: str  # the hash of the offer
    agent: str
    episode: str
    revision: int
    settings: str  # the digest of the settings
    topic: str  # the topic of the bargaining
    turn: int  # the turn before which the agent accepted


class Signature(TypedDict):
    """A signature as stored in the record."""

    keyid: str
    sig: str  # base64


def binding(
    *, agent: str, episode: str, settings: str, topic: str, turn: int, revision: int, accepts: str
) -> Binding:
    """Return the content that an agent signs when it accepts an offer."""
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
    """Return a signature as an element `<SIGNATURE>` for an answer."""
    return f"<SIGNATURE>{signature['keyid']} {signature['sig']}</SIGNATURE>"


def signature_in(text: str) -> Signature | None:
    """Return the signature in an answer; None if there is none, more than one, or a malformed one.

    >>> signature_in("<ACCEPT>") is None
    True
    """
    found = _ELEMENT.findall(text)
    read = _INSIDE.fullmatch(found[0]) if len(found) == 1 else None
    return {"keyid": read[1], "sig": read[2]} if read else None


def without_signature(text: str) -> str:
    """Return an answer without its signature elements, for the readers of its other elements.

    >>> without_signature("ACCEPT<SIGNATURE>00 AA==</SIGNATURE>")
    'ACCEPT'
    """
    return _ELEMENT.sub("", text) if "<SIGNATURE>" in text.upper() else text
