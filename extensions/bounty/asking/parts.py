"""The parts of a split as a contributor writes them: fractions, percentages or amounts."""

import json
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import plain

_PROPOSAL = re.compile(r"(<PROPOSAL>)(.*?)(</PROPOSAL>)", re.DOTALL)
_NUMBER = r"\d{1,18}(?:\.\d{1,12}|,(?:\d{1,2}|\d{4,12})|/[1-9]\d{0,17})?"
_PART = re.compile(rf"({_NUMBER})\s*(%|per ?cent)?", re.IGNORECASE)
"""A part; a comma before three digits may part thousands, so it is not read."""


def in_fractions(text: str, bounty: Fraction, currency: str) -> str:
    """Return a message with the parts of its splits converted to exact fractions.

    Numbers without a unit are fractions if they sum to 1, amounts if they sum to the bounty, and
    percentages if they sum to 100. A message that cannot be read stays as it is.

    >>> split = '<PROPOSAL>{"clauses": [{"fractions": {"A": "150", "B": "350 EUR"}}]}</PROPOSAL>'
    >>> in_fractions(split, Fraction(500), "EUR")
    '<PROPOSAL>{"clauses": [{"fractions": {"A": "3/10", "B": "7/10"}}]}</PROPOSAL>'

    Raises:
        ValueError: the parts sum to none of these; the message says by how much they are off.
    """

    def converted(found: re.Match[str]) -> str:
        try:
            offer = json.loads(found[2])
            clauses = [one for one in offer["clauses"] if one.get("fractions")]
            for one in clauses:
                one["fractions"] = dict(one["fractions"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return found[0]
        for one in clauses:
            one["fractions"] = _fractions(one["fractions"], bounty, currency)
        return found[1] + json.dumps(offer, ensure_ascii=False) + found[3] if clauses else found[0]

    return _PROPOSAL.sub(converted, text)


def _rounding(percents: Iterable[str]) -> Fraction:
    """Return how far rounding can have moved the sum of percentages that all have decimals.

    A whole number may be meant exactly, so with one in it the sum is exact.

    >>> _rounding(["33.33", "33.33", "33.33"]), _rounding(["50", "49.9"])
    (Fraction(3, 200), Fraction(0, 1))
    """
    places = [len(x.replace(",", ".").partition(".")[2]) for x in percents]
    return (
        sum((Fraction(1, 2 * 10**n) for n in places), Fraction(0)) if all(places) else Fraction(0)
    )


def _fractions(parts: Mapping[str, Any], bounty: Fraction, currency: str) -> dict[str, Any]:
    """Return the parts as fractions, or unchanged if a part is not a number."""
    said = {who: str(x).replace(currency or "\0", "").strip() for who, x in parts.items()}
    read = {who: _PART.fullmatch(x) for who, x in said.items()}
    if not all(read.values()):
        return dict(parts)
    numbers = {who: Fraction(x[1].replace(",", ".")) for who, x in read.items() if x}
    percents = [bool(x and x[2]) for x in read.values()]
    total = sum(numbers.values(), Fraction(0))
    if any(percents) and not all(percents):
        raise ValueError("give all parts in one unit: as amounts, percentages or fractions")
    if all(percents) and abs(total - 100) <= _rounding(x[1] for x in read.values() if x):
        return {who: str(x / total) for who, x in numbers.items()}
    wholes = [Fraction(100)] if all(percents) else [Fraction(1), bounty, Fraction(100)]
    if total in wholes:
        return {who: str(x / total) for who, x in numbers.items()}
    whole, unit = (bounty, currency)
    if all(percents) or total < 2:
        whole, unit = (Fraction(100), "%") if all(percents) else (Fraction(1), "")
    off = f"{plain(abs(whole - total))} {unit}".strip()
    told = f"the parts sum to {plain(total)}, not to {plain(whole)} {unit}".strip()
    raise ValueError(f"{told}: {off} {'is missing' if total < whole else 'is too much'}")
