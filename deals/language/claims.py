"""The reader of a claim, written inside its tag or as an answer's last line.

>>> read_claim(Message(claim="about 12 percent"))
(Fraction(3, 25), 'read about 12 percent as 12 %')
>>> read_claim(Message(claim="1")).feedback
'Is 1 a part (100 %), or 1 %? Write it with its sign: 100% or 1%.'
"""

import re
from fractions import Fraction

from shapley_coop.amounts import parse_exact, plain
from shapley_coop.deals.language.choices import LABELLED
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.hedges import written_lines
from shapley_coop.deals.language.meant import unwrap
from shapley_coop.deals.language.wire import Message


def read_claim(message: Message) -> tuple[Fraction, str] | Fault:
    """Return the claimed fraction of the total (0 to 1), and the answer's repair in words or ""."""
    said = message.claim
    if said is None:
        above, last = ["", "", *written_lines(message.outside)][-2:]
        found = LABELLED.fullmatch(last)
        alone = _ALONE.fullmatch(unwrap(last)) and not _ALONE.fullmatch(unwrap(above))
        said = found[1] if found else last if alone else None
    if said is None:
        return Fault("CLAIM", _CLAIM)
    read = _part(said)
    again = [_part(each) for each in _SAID_AGAIN.split(unwrap(said)) if each]
    parts = {None if isinstance(each, Fault) else each[0] for each in again}
    if isinstance(read, Fault) and len(parts) == 1 and (part := parts.pop()) is not None:
        return part, f"read {said.strip()[:40]} as {plain(part * 100)} %"
    return read


_SAID_AGAIN = re.compile(r"[,;]\s{1,3}(?:i\.?e\.?,?\s|or\s|so\s)?|\s?[=()]\s?|\s(?:or|i\.?e\.?)\s")
"""Text between two forms of one part, as in "half, 50 %"."""


def _part(said: str) -> tuple[Fraction, str] | Fault:
    """Return the fraction that a text states, and its repair in words or ""; or a fault."""
    if (part := _IN_WORDS.get(unwrap(said).casefold())) is not None:
        return part, f"read {said.strip()[:40]} as {plain(part * 100)} %"
    if doubtful := _UNDER_PERCENT.fullmatch(unwrap(said)):
        return _one_of(doubtful[1])
    bare = _ABOUT.sub("", _SAYING.sub("", unwrap(said), count=1), count=1)
    words = _TOO_FINE.sub(r"\1", _PERCENT.sub("%", bare).strip())
    number = words.removesuffix("%").strip()
    try:
        part = parse_exact(words)
    except ValueError:
        return Fault("CLAIM", f"{said[:40]!r} is no part: {_CLAIM}")
    if number == words and number == "1":
        return _one_of(number)
    whole = number == words and part > 1
    if whole:
        part /= 100
    if not 0 <= part <= 1:
        return Fault("CLAIM", f"{said[:40]!r} is not from 0 to 100 %: {_CLAIM}")
    as_it_is = words == said.strip() and not whole
    return part, "" if as_it_is else f"read {said.strip()[:40]} as {plain(part * 100)} %"


_ALONE = re.compile(r"\d{1,3}(?:\.\d{1,6})?\s{0,3}(?:%|percent|per cent)", re.I)
"""A percentage that fills a whole line."""

_SAYING = re.compile(
    r"^(?:(?:i|my|p|part|share|claim|say|is|was)(?![\w.])[\s:=]{0,4}){1,6}(?=\S)", re.IGNORECASE
)
"""Words before the number that only introduce the claim, as in "my share is"."""


_IN_WORDS = {
    f"{one}{words}": part
    for words, part in {
        "half": Fraction(1, 2),
        "third": Fraction(1, 3),
        "quarter": Fraction(1, 4),
        "fifth": Fraction(1, 5),
    }.items()
    for one in ("", "a ", "one ")
} | {"nothing": Fraction(0), "two thirds": Fraction(2, 3), "three quarters": Fraction(3, 4)}
"""Parts that are written as words."""


def _one_of(number: str) -> Fault:
    """Return the fault that asks whether a number up to 1 is a fraction or a percentage.

    >>> _one_of("0.55").feedback
    'Is 0.55 a part (55 %), or 0.55 %? Write it with its sign: 55% or 0.55%.'
    """
    whole = plain(parse_exact(number) * 100)
    asked = f"Is {number} a part ({whole} %), or {number} %?"
    return Fault("CLAIM", f"{asked} Write it with its sign: {whole}% or {number}%.")


_UNDER_PERCENT = re.compile(r"percent(?:age)?\s{0,3}[:=]\s{0,3}(1(?:\.0{1,9})?|0?\.\d{1,9})", re.I)
"""A number up to 1 labelled as a percentage; it may mean a fraction instead: 0.5 for 50 %."""

_CLAIM = "state one <CLAIM>…</CLAIM> from 0 to 100 %, as in 40%."
_ABOUT = re.compile(
    r"^(?:about|around|roughly|approximately|approx\.?|circa|ca\.?|~|≈)\s{0,3}", re.I
)
_TOO_FINE = re.compile(r"^(\d{1,3}\.\d{6})\d{1,30}(?=%?$)")
"""A percentage with too many decimals, as in 33.333333333; six decimals are kept."""

_PERCENT = re.compile(r"\s{0,3}(?:percent|per cent|pct|%)$", re.IGNORECASE)
