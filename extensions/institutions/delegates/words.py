"""The variables of the letters to members: their group, its delegate, and what leaving does."""

from collections.abc import Mapping, Sequence
from typing import Any

from shapley_coop.prompts.words import MOST_NAMED, few, plain, quote

Facts = Mapping[str, Any]

MOST_CHARACTERS = 200
"""Of a member's objection, as its group's ballot quotes it."""


def membership(view: Facts) -> dict[str, Any]:
    """Where delegates bargain: a member's group, its delegate, and what leaving a deal does."""
    return {
        "group": few(view.get("group", [])),
        "vetoed": _with_words(view.get("vetoed", [])),
        "own_delegate": plain(view.get("delegate", "")),
        "unsigned": few(view.get("unsigned", [])),
        "leaving": view.get("leaving", ""),
        "norm": plain(_norm(view.get("offer", {}))),
        "other_clauses": view.get("offer", {}).get("others", 0),
    }


def binding(view: Facts) -> dict[str, Any]:
    """Return what has to happen before an offer that a delegate accepts binds anybody."""
    return {"binding": "delegates have accepted and all members signed"}


def _norm(offer: Facts) -> str:
    """Return the norm by which a deal splits the total; empty if it names none."""
    return next((x["norm"] for x in offer.get("clauses", []) if x.get("norm")), "")


def _with_words(vetoes: Sequence[Facts]) -> str:
    """Return who did not sign, each with the beginning of what it said; of many the first.

    >>> _with_words([{"by": "Ann", "says": "Too little."}, {"by": "Ben", "says": ""}])
    'Ann ("Too little.") and Ben'
    """
    told = [
        plain(one["by"]) + (f" ({quote(one['says'][:MOST_CHARACTERS])})" if one["says"] else "")
        for one in vetoes[:MOST_NAMED]
    ]
    more = len(vetoes) - len(told)
    told += [f"{more} more"] if more else []
    return " and ".join(filter(None, [", ".join(told[:-1]), *told[-1:]]))
