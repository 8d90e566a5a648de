"""A run as server-sent events: its bundle whole, once, and after that only what has changed.

The id of an event is the digest of the bundle that it leads to. Who comes back names the last one
that it has (`Last-Event-ID`); if that bundle still stands, it is told what changes from there on,
and else it is sent the whole again. A feed keeps nothing about those who left.
"""

import hashlib
import json
from typing import Any

STILL = ":\n\n"
"""A comment: nothing is new. It also shows the sender whether anybody is there."""

END = "event: end\ndata: {}\n\n"


class Feed:
    """What one listener is told.

    Args:
        known: the id of the bundle that it has, if it had one.
    """

    def __init__(self, known: str | None = None) -> None:
        self._known = known
        self._bundle: dict[str, Any] | None = None

    def tell(self, bundle: dict[str, Any]) -> str:
        """The event that brings the listener to `bundle`; a comment if it is there already."""
        if bundle == self._bundle:
            return STILL
        before, self._bundle = self._bundle, bundle
        digest = hashlib.sha256(json.dumps(bundle).encode()).hexdigest()
        if digest == self._known:
            return STILL
        self._known = digest
        if before is None:
            return _event("bundle", digest, bundle)
        return _event("change", digest, changes(before, bundle))


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Section → what it `is` now, for those that differ.

    Of a list that begins as it did: how many to `keep`, and what comes `then`. Sections are added
    and never taken away.
    """
    return {
        name: _change(before.get(name), section)
        for name, section in after.items()
        if name not in before or before[name] != section
    }


def _change(before: Any, after: Any) -> dict[str, Any]:
    if not (isinstance(before, list) and isinstance(after, list)):
        return {"is": after}
    shorter = min(len(before), len(after))
    keep = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    return {"keep": keep, "then": after[keep:]}


def _event(name: str, digest: str, content: dict[str, Any]) -> str:
    # JSON text has no line break that could end an event.
    return f"event: {name}\nid: {digest}\ndata: {json.dumps(content)}\n\n"
