"""Words that make an acceptance conditional; such an acceptance is asked back, not counted."""

import re

_HEDGES = re.compile(
    r"\b(?:but|if|unless|provided|except|however|instead|although|though|only when|as long as|"
    r"on condition|rather|not|never|cannot|neither|nor|without|refuse|reject|decline)\b|n['’]t\b",
    re.IGNORECASE,
)


def hedged(words: str) -> bool:
    """Return whether the words contain a condition, a reservation or a negation.

    >>> hedged("I agree, it is fair."), hedged("I agree if you pay 6."), hedged("I don't.")
    (False, True, True)
    """
    return _HEDGES.search(words) is not None
