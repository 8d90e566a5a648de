"""An agent's estimates before a bargaining: collective payoff, externality and price.

The estimates are the three steps of short-term reasoning (Shapley-Coop, section 3). An answer may
give them on labelled lines, in tags, or as JSON. The agent is asked again if one is ambiguous.

>>> text = "1. We could get 9.\\nCollective payoff: 9\\nExternality: negative\\nPrice: I offer 5.5"
>>> reasons = read_reasons(text)
>>> str(reasons.collective), reasons.externality, str(reasons.price)
('9', '-', '-11/2')
>>> read_reasons("Collective payoff: 9; externality: +").feedback
'Give the price: a line `Price: 3`, what you should be paid; with a minus, what you should pay.'
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.deals.language.faults import Fault, together
from shapley_coop.deals.language.thoughts import without_thoughts
from shapley_coop.deals.language.wire import scan

_NAMES = {
    "collective": r"(?:(?:estimated|overall)[ _])?(?:collective|joint|total|overall)[ _]"
    r"(?:payoff|reward|welfare)|collective|joint",
    "externality": r"externality(?:[ _]sign)?|sign[ _]of[ _](?:(?:the|my)[ _])?externality",
    "price": r"(?:fair[ _])?(?:price|transfer|compensation)",
}
_FORMS = {
    "collective": "Give the collective payoff: a line `Collective payoff: 12`, one number for what "
    "all of you together could earn.",
    "externality": "Give the externality: a line `Externality: +`, or `-`, or `0` if your action "
    "changes nothing for the others.",
    "price": "Give the price: a line `Price: 3`, what you should be paid; with a minus, what you "
    "should pay.",
}
# Every repetition in a pattern is bounded, so that matching takes linear time.
_LABELS = {
    field: re.compile(
        r"(?:^|[\n;<>]|[.,] )[ \t]{0,8}(?:[-*#>•]{1,4}[ \t]{0,4})?(?:\d{1,2}[.)][ \t]{0,4})?"
        rf"[*_`\"]{{0,4}}(?:my |the |our )?(?:{names})[*_`\"]{{0,4}}[ \t]{{0,4}}"
        r"(?:\([^()\n]{0,60}\)[ \t]{0,4})?[*_`]{0,4}(?:[:=>]|\.(?=\*))[*_`]{0,4}",
        re.IGNORECASE,
    )
    for field, names in _NAMES.items()
}
_KEYS = {field: re.compile(rf"(?:{names})\Z", re.IGNORECASE) for field, names in _NAMES.items()}
_MOST = 400
"""The most characters of a field that are read."""

_NUMBER = re.compile(
    r"(?<![\w.,])[-+−]?\s?\d{1,9}(?:,\d{3}){0,2}(?:\.\d{1,9})?(?:/\d{1,9})?(?!,\d|\s?%|\.\d|\w)"
)
_UNKNOWN = re.compile(r"\W*(?:unknown|null|n/?a|i cannot (?:say|tell))\W*\Z", re.IGNORECASE)
_NONE = re.compile(
    r"[\W_]*(?:none|nothing|zero|no (?:price|payment|transfer))[\W_]*\Z", re.IGNORECASE
)
_UNIT = r"(?<=[\d*_`])(?:\s?(?:points?|pts?|coins?|units?|in (?:all|total)))?"
_COMMENT = re.compile(rf"{_UNIT}\s{{0,3}}\((?!\W{{0,3}}or\b)[^()\n]{{0,200}}\)", re.IGNORECASE)
"""Brackets behind a number, which only explain it."""

_AGAIN = re.compile(
    rf"{_UNIT}[\s,–—-]{{1,4}}(?:i\.?\s?e\b\.?|that (?:is|means)|meaning|in other words)"
    r"(.{0,200})",
    re.IGNORECASE,
)
"""The same amount in other words: "-5.5, i.e. I pay Bob 5.5"."""

_LEADING = re.compile(r"[\s*_`\"'(\[]{0,6}([-+−]|0(?![\w.]))")
_SIGNS = {
    "+": re.compile(r"\b(?:positive|beneficial|benefits?|plus)\b", re.IGNORECASE),
    "-": re.compile(r"\b(?:negative|harmful|harms?|minus)\b", re.IGNORECASE),
    "0": re.compile(r"\b(?:none|neutral|zero|no effect)\b", re.IGNORECASE),
}
_PAYS = re.compile(r"\b(?:offer|pay)\b", re.IGNORECASE)
_IS_PAID = re.compile(r"\b(?:ask|receive|be paid|demand|get)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Reasons:
    """An agent's three estimates in the game's unit; None for an estimate that it cannot give.

    Attributes:
        collective: the amount that all agents together could earn.
        externality: the sign of its planned action's effect on the others: `+`, `-` or `0`.
        price: the amount that the agent should be paid for its part, or should pay if negative.
    """

    collective: Fraction | None
    externality: str | None
    price: Fraction | None

    def record(self) -> dict[str, str | None]:
        """Return the estimates as plain JSON."""
        return {
            "collective": None if self.collective is None else str(self.collective),
            "externality": self.externality,
            "price": None if self.price is None else str(self.price),
        }


class _Unclear(ValueError):
    """The error raised if an estimate is missing or has two different values."""


def read_reasons(text: str) -> Reasons | Fault:
    """Read the three estimates in an answer; of lines with the same label, the last counts.

    Args:
        text: the agent's private text.

    Returns:
        The estimates, or a fault (REASON) that names each missing or ambiguous field.
    """
    written = _fields(text)
    found: dict[str, Any] = {}
    unclear = []
    for field, read in (("collective", _amount), ("externality", _sign), ("price", _price)):
        try:
            found[field] = read(written.get(field, ""))
        except _Unclear as why:
            unclear.append(" ".join(filter(None, (_FORMS[field], str(why)))))
    return together(Fault("REASON", why) for why in unclear) or Reasons(**found)


def reasons_of(answer: str) -> Reasons | None:
    """Return the estimates in an answer from the journal, or None if they are unreadable."""
    said = without_thoughts(answer)
    found = said if isinstance(said, Fault) else read_reasons(private_text(said))
    return None if isinstance(found, Fault) else found


def private_text(answer: str) -> str:
    """Return an answer's private text: the part inside `<CONSIDER>` and the text around it."""
    message = scan(answer)
    if isinstance(message, Fault) or not message.consider:
        return answer
    return f"{message.consider}\n{message.outside}"


def _fields(text: str) -> dict[str, str]:
    """Return each estimate's text: from JSON, or else what follows its label or is in its tag."""
    labels = sorted(
        (found.start(), found.end(), field)
        for field, label in _LABELS.items()
        for found in label.finditer(text)
    )
    written: dict[str, str] = {}
    ends = [start for start, _, _ in labels[1:]] + [len(text)]
    for (_, start, field), end in zip(labels, ends, strict=False):
        said = text[start : min(end, start + _MOST)].lstrip()
        written[field] = re.split(r"[\n;<]", said, maxsplit=1)[0].strip()
    for key, value in _json(text).items():
        for field, label in _KEYS.items():
            if label.match(str(key).strip()) and not isinstance(value, dict | list):
                written[field] = _plain(value)
    return written


def _json(text: str) -> Mapping[str, Any]:
    """Return the JSON object that starts at a text's first brace, or {} if it is invalid."""
    start = text.find("{")
    if start < 0:
        return {}
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _plain(value: Any) -> str:
    """Return a value from JSON as an agent would write it on a labelled line."""
    if value is None:
        return "unknown"
    return f"{value:.6f}" if isinstance(value, float) else str(value)[:_MOST]


def _amount(written: str) -> Fraction | None:
    """Return the only number in a line, or the number after the last `=` of a calculation."""
    if _UNKNOWN.match(written):
        return None
    before, *again = _AGAIN.split(_COMMENT.sub("", written.rpartition("=")[2]), maxsplit=1)
    numbers, repeated = _numbers(before), _numbers("".join(again[:1]))
    if len(numbers) == 1 and {*map(abs, repeated)} <= {*map(abs, numbers)}:
        return numbers.pop()
    numbers |= repeated
    raise _Unclear(f"You gave {len(numbers)} numbers: give one." if numbers else "")


def _numbers(words: str) -> set[Fraction]:
    """Return all numbers in some words."""
    try:
        return {exact(re.sub(r"[,\s]", "", x).replace("−", "-")) for x in _NUMBER.findall(words)}
    except ValueError:
        raise _Unclear("It is no number.") from None


def _sign(written: str) -> str | None:
    if _UNKNOWN.match(written):
        return None
    signs = {sign for sign, words in _SIGNS.items() if words.search(written)}
    if leading := _LEADING.match(written):
        signs.add(leading[1].replace("−", "-"))
    if len(signs) == 1:
        return signs.pop()
    raise _Unclear(f"You gave {' and '.join(sorted(signs))}: give one." if signs else "")


def _price(written: str) -> Fraction | None:
    """Return a signed amount; "I offer 3" is read as −3 and "I ask 3" as 3."""
    amount = Fraction(0) if _NONE.match(written) else _amount(written)
    if amount is None:
        return None
    pays, is_paid = bool(_PAYS.search(written)), bool(_IS_PAID.search(written))
    if amount < 0 and not (is_paid and not pays and _AGAIN.search(written)):
        return amount
    if (pays and is_paid) or amount < 0:
        raise _Unclear("It is not clear whether you pay or are paid.")
    return -amount if pays else amount
