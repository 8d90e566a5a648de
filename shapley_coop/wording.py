"""Phrases that letters and the results of agents' tools share."""

from collections.abc import Mapping
from typing import Any


def breach_words(row: Mapping[str, Any], viewer: str, signed: bool = False) -> str:
    """Return in words who breaks an offer, or a signed contract, and by which action.

    >>> breach_words({"who": "Ann", "by": "lever"}, "Ann"), breach_words({"who": "Ann"}, "Ben")
    ('you sign and break it by lever', 'Ann signs and breaks it')
    """
    who = row["who"]
    said = "you sign and break it" if who == viewer else f"{who} signs and breaks it"
    if signed:
        said = "you break it" if who == viewer else f"{who} breaks it"
    return said + (f" by {row['by']}" if row.get("by") else "")
