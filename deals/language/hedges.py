"""Functions that read words around a choice: they ignore reasons, find conditions and denials."""

import re
from unicodedata import name

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


_SHORT_YES = ("", "yes", "yep", "yea", "ok", "y", "go", "ido", "win")
_SHORT = max(map(len, _SHORT_YES))
"""Words with so few letters are read as a yes only if they are one of `_SHORT_YES`."""


def agreeing(words: str) -> bool:
    """Return whether words beside a yes leave it valid: they neither state nor hide a reservation.

    Words in another script than the letters' and unknown short words could mean no.

    >>> agreeing("This gives me 12, better than 8."), agreeing("Agreed!"), agreeing("OK 👍")
    (True, True, True)
    >>> agreeing("нет"), agreeing("N/A"), agreeing("nie"), agreeing("not for 4")
    (False, False, False, False)
    """
    letters = "".join(filter(str.isalpha, words)).lower()
    short = len(letters) <= _SHORT and letters not in _SHORT_YES
    return not (short or hedged(words) or _in_another_script(words))


def _in_another_script(words: str) -> bool:
    """Return whether words have a letter that is not Latin, so that this code cannot judge them."""
    if words.isascii():
        return False
    return any("LATIN" not in name(char, "") for char in words if char.isalpha())


_SUBJECT_OF = re.compile(
    r"\s*(?:would|could|might|may|must|should|is(?! my\b)|was|were|seems?)\b|[^.!;]{0,40}\?"
)
_INFINITIVE = re.compile(r"\bto\W*\Z", re.IGNORECASE)
_WILLING = re.compile(
    r"\b(?:choose|decided?|happy|glad|ready|pleased|willing|want|wish|like|going|agreed?|prefer|"
    r"intend|plan|best|better|rational|interest|wise) to\W*\Z",
    re.IGNORECASE,
)
_NEAR = 80
"""The most characters before or behind a tag that are read as its sentence."""


def unsure_beside(before: str, line: str) -> bool:
    """Return whether words beside a bare <ACCEPT> make it doubtful, although they do not hedge.

    The tag may be a word in a sentence about the tag, or code may be unable to read what follows.

    Args:
        before: the words before the tag, in its sentence.
        line: the words behind the tag, in its line.

    >>> unsure_beside("To ", " would be a mistake."), unsure_beside("It is wrong to ", "")
    (True, True)
    >>> unsure_beside("I am happy to ", "."), unsure_beside("", " This gives me 12, better than 8")
    (False, False)
    >>> unsure_beside("", " нет"), unsure_beside("I will ", " it.")
    (True, False)
    """
    near, behind = before[-_NEAR:], line[:_NEAR]
    if doubted(near) or _SUBJECT_OF.match(behind) or _in_another_script(behind):
        return True
    return _INFINITIVE.search(near) is not None and not _WILLING.search(near)


_SAID = r"wrote|writes?|said|says?|answered|answers|suggest(?:s|ed)?|recommend(?:s|ed)?|advise[sd]?"
_DENIES = re.compile(
    r"(?:~~|\b(?:not|never|no|avoid|refuse to|instead of|rather than|without|than|nor)\b|n['’]t\b|"
    rf"(?<!\bI )\b(?:{_SAID})\b|^\W*(?:if|unless|when|once)\b[^.,;!?]*)[\W_]*\Z",
    re.IGNORECASE,
)
"""Words right before an action that deny it, make it depend on something, or quote another."""

_TAKES_BACK = re.compile(
    r"[ \t]*(?:~~|\?|(?:if|unless|when|once|only|provided|until|would|could|might)\b|"
    r"(?:is|was) (?:not|never|wrong|a mistake|what (?!i\b)))|"
    r"\W*(?:wait|actually|correction|scratch that|oops|on second thought|never ?mind|no)\b",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"\b(?:to|will|would|could|should|might|did|does|or|and|of|than|not|never|n['’]t)\W*\Z", re.I
)


def doubted(before: str, behind: str = "") -> bool:
    """Return whether the words right before or behind an action deny, restrict or quote it.

    >>> doubted("I will not "), doubted("Bob wrote: "), doubted("", " if Bob pays")
    (True, True, True)
    >>> doubted("He may not keep it, so I choose "), doubted("I say: ", "\\n\\nIt is not fair.")
    (False, False)
    """
    line = before.rpartition("\n")[2][-_NEAR:]
    return bool(_DENIES.search(line) or _TAKES_BACK.match(behind[:_NEAR]))


def unfinished(line: str) -> bool:
    """Return whether a line ends within a sentence that could deny what the next line names."""
    return bool(_UNFINISHED.search(line) or _DENIES.search(line[-_NEAR:]))


def hedged(words: str) -> bool:
    """Return whether the words contain a condition, a reservation or a negation.

    >>> hedged("I agree, it is fair."), hedged("I agree if you pay 6."), hedged("I don't.")
    (False, True, True)
    >>> hedged("No."), hedged("No harm in it."), hedged("Once you pay 6.")
    (True, False, True)
    """
    return denied(words) or _HEDGES.search(words) is not None


def denied(words: str) -> bool:
    """Return whether the words deny a decision, as "no" does in a form's field "REJECT: no"."""
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
