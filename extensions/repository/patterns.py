"""Regular expressions that others write, matched in time linear in the text.

Python's own engine backtracks: `(a|a)*b` on 48 letters holds the interpreter for hours, and with it
every run of a server. RE2 has neither that nor back-references and look-around, which it refuses.
It comes with the extra `patterns`; an expression in which nothing is repeated, chosen or grouped
needs it not, since there is nothing to go back to.

>>> from shapley_coop.extensions.repository.patterns import pattern
>>> pattern("(a|a)*b").search("a" * 48)
False
"""

import re
from functools import lru_cache
from typing import Any

from shapley_coop.extras import require_extra

MOST_CHARACTERS = 1000
"""Of one expression."""

_MOST_MEMORY = 8 * 2**20

_FIXED = re.compile(r"(?:[^\\.^$*+?{}()|\[\]]|\[(?:[0-9]-[0-9]|[a-z]-[a-z]|[A-Z]-[A-Z])\])*")
"""Characters and ranges of them, one behind the other: each matches one character or fails."""


class Pattern:
    """A compiled expression: whether it matches somewhere in a text, from its begin, or all of it.

    Args:
        compiled: by RE2, or by Python if its length is fixed.
    """

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def search(self, text: str) -> bool:
        """Return whether it matches somewhere."""
        return self._compiled.search(_readable(text)) is not None

    def match(self, text: str) -> bool:
        """Return whether it matches from the begin."""
        return self._compiled.match(_readable(text)) is not None

    def fullmatch(self, text: str) -> bool:
        """Return whether it matches the whole text."""
        return self._compiled.fullmatch(_readable(text)) is not None


@lru_cache(maxsize=10_000)
def pattern(expression: str, *, any_case: bool = False, across_lines: bool = False) -> Pattern:
    """Return an expression, compiled.

    Args:
        expression: in RE2's syntax.
        any_case: whether letters match in either case.
        across_lines: whether a dot matches the end of a line, too.

    Raises:
        LibraryMissing: it needs RE2, which is not installed.
        ValueError: it is no expression of RE2, or too long; one line.
    """
    shown = expression if len(expression) <= 80 else expression[:80] + "…"
    if len(expression) > MOST_CHARACTERS:
        raise ValueError(f"{shown!r}: an expression has at most {MOST_CHARACTERS} characters")
    if _FIXED.fullmatch(expression) and not any_case:
        return _of_fixed_length(expression, shown)
    re2 = engine(f"the expression {shown!r}")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    options.case_sensitive = not any_case
    options.dot_nl = across_lines
    try:
        return Pattern(re2.compile(_readable(expression), options))
    except re2.error as error:
        why = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        raise ValueError(f"{shown!r} is no regular expression: {why}") from None


def engine(who: str) -> Any:
    """Return RE2.

    Args:
        who: what needs it.

    Raises:
        LibraryMissing: the extra `patterns` is not installed.
    """
    with require_extra("patterns", who):
        import re2

    return re2


def _of_fixed_length(expression: str, shown: str) -> Pattern:
    try:
        return Pattern(re.compile(_readable(expression)))
    except re.error as error:
        raise ValueError(f"{shown!r} is no regular expression: {error}") from None


def _readable(text: str) -> str:
    # RE2 reads UTF-8, which has no half of a surrogate pair; names of files may have some.
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
