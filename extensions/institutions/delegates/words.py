"""The template variables of letters to members: group, delegate, and the effect of leaving."""

from collections.abc import Mapping, Sequence
from typing import Any

from shapley_coop.prompts.words import MOST_NAMED, few, plain, quote

Facts = Mapping[str, Any]

MOST_CHARACTERS = 200
"""The most characters that a ballot quotes of a member's objection."""


def membership(view: Facts) -> dict[str, Any]:
    """Return template variables: a member's group, its delegate, and what happens if it leaves."""
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
    """Return the template variable that says when an offer binds: after all members' signatures."""
    return {"binding": "delegates have accepted and each other member has signed it or stays out"}


def _norm(offer: Facts) -> str:
    """Return the norm by which a deal splits the total; "" if it names no norm."""
    return next((x["norm"] for x in offer.get("clauses", []) if x.get("norm")), "")


def _with_words(vetoes: Sequence[Facts]) -> str:
    """Return the first few members that did not sign, with the beginnings of their objections.

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
