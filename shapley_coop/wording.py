"""Phrases that letters and the results of agents' tools share."""

from collections.abc import Mapping
from typing import Any

STANDING = "the deal in force, if all keep it"
"""The words for the case that an offer is refused while a contract is in force."""


def refusal_words(row: Mapping[str, Any]) -> str:
    """Return in words what a row without an offer is about: no deal, or that the offer is refused.

    >>> refusal_words({"if": "no deal", "by": STANDING}), refusal_words({"if": "no deal"})
    ('refused', 'no deal')
    """
    return "refused" if row.get("by") == STANDING else str(row["if"])


def breach_words(row: Mapping[str, Any], viewer: str, signed: bool = False) -> str:
    """Return in words who breaks an offer, or a signed contract, and by which action.

    A row has the breach that pays its author most. Where it names turns, others were possible.

    >>> breach_words({"who": "Ann", "by": "lever"}, "Ann"), breach_words({"who": "Ann"}, "Ben")
    ('you sign and break it by lever', 'Ann signs and breaks it')
    >>> breach_words({"who": "Ann", "by": "lever at turn 2"}, "Ben", signed=True)
    'Ann breaks it, at best by lever at turn 2'
    """
    who = row["who"]
    said = "you sign and break it" if who == viewer else f"{who} signs and breaks it"
    if signed:
        said = "you break it" if who == viewer else f"{who} breaks it"
    by = str(row.get("by") or "")
    return said + (", at best" if " at turn" in by else "") + (f" by {by}" if by else "")
