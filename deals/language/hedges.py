"""Readers of the words around a choice: they ignore reasons, and find conditions and denials."""

import re

_HEDGES = re.compile(
    r"\b(?:but|if|unless|provid(?:ed|ing)|except|however|instead|although|though|as long as|"
    r"on (?:the )?(?:condition|understanding)|rather|not|never|cannot|neither|nor|without|refuse|"
    r"reject|decline|maybe|perhaps|until|assuming|presuming|subject to|so long as|as soon as|"
    r"in (?:return|exchange) for|in (?:case|principle)|given that|pending|contingent|conditional|"
    r"conditionally|only (?:when|with|for|at|after)|(?:once|when|after) (?:you|we|they|he|she|i)|"
    r"with (?:\w+ ){0,2}(?:change|amendment)s?|hardly|impossible|disagree|withdraw|possibly|"
    r"tentatively|part(?:ial)?ly|unacceptable|no (?:deal|way|thanks?|longer|chance)|"
    r"(?:say|is|hell) no|nein|nicht|keine?|wenn|falls|sofern|aber|non|pas|mais|si|pero|dont|wont"
    r")\b|n['’`]t\b|\?",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\W*(?:no|nope|nothing|false|none|null)(?=\W*\Z|\s*[,;.:–—-]| of (?:it|this)\b)",
    re.IGNORECASE,
)


def hedged(words: str) -> bool:
    """Return whether the words contain a condition, a reservation or a negation.

    >>> hedged("I agree, it is fair."), hedged("I agree if you pay 6."), hedged("I don't.")
    (False, True, True)
    >>> hedged("No."), hedged("No harm in it."), hedged("Once you pay 6.")
    (True, False, True)
    """
    return denied(words) or _HEDGES.search(words) is not None


def denied(words: str) -> bool:
    """Return whether the words say no, as in the field "REJECT: no" of a form."""
    return _NO.match(words) is not None


_FENCE = re.compile(r"\s*```\w{0,20}\s*")
_OWN_TAG = re.compile(r"<\s?([^<>/]{1,40}?)\s?/?>(?:\s{0,4}</\s?\1\s?>)?")
_REASON = re.compile(r"\s+-{1,2}\s+|\s*[–—]\s*")


def written_lines(text: str) -> list[str]:
    """Return the lines of a text, without blank lines and the marks of code fences.

    >>> written_lines("```text\\ndoor\\n```\\n")
    ['door']
    """
    return [line for line in text.splitlines() if line.strip() and not _FENCE.fullmatch(line)]


def split_reason(line: str, marks: re.Pattern[str] = _REASON) -> tuple[str, str]:
    """Return the choice in a line, without tag brackets, and the reason after a mark or "".

    >>> split_reason("**ACCEPT** – it is fair"), split_reason("<opt-out>")
    (('**ACCEPT**', 'it is fair'), ('opt-out', ''))
    """
    choice, *reason = marks.split(line, maxsplit=1)
    return _OWN_TAG.sub(r"\1", choice, count=1), "".join(reason)
