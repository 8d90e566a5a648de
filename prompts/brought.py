"""The texts by which extensions explain the facts that their questions add to a letter."""

from collections.abc import Mapping
from typing import Any

from shapley_coop import extension


def brought_facts(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template variable `brought`: the extensions' texts on a letter's facts, or "".

    Args:
        view: the letter's facts.

    Raises:
        BrokenExtension: an extension cannot be imported.
    """
    known = [name for name in extension.offered("words") if name in view]
    return {"brought": "\n\n".join(extension.load("words", name)(view) for name in known)}
