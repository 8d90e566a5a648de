"""The feed of a run as server-sent events: the whole bundle once, then only changes.

The id of an event is the digest of the bundle after the event. A client that reconnects sends its
last id (`Last-Event-ID`). If the bundle still has this digest, the client gets only later changes.
Otherwise it gets the whole bundle. The server keeps no data about disconnected clients.
"""

import hashlib
import json
from typing import Any

STILL = ":\n\n"
"""A comment, sent if nothing has changed. If the sending fails, the client has disconnected."""

END = "event: end\ndata: {}\n\n"


class Feed:
    """The server-sent events for one client.

    Args:
        known: the id of the bundle that the client already has, or None.
    """

    def __init__(self, known: str | None = None) -> None:
        self._known = known
        self._bundle: dict[str, Any] | None = None

    def update(self, bundle: dict[str, Any]) -> str:
        """Return the event that updates the client to `bundle`, or `STILL` if nothing changed."""
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
    """Return changed section → its new value as `{"is": value}`; sections are never removed.

    For a list, `keep` is the number of unchanged first items and `then` has the items after them.
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
