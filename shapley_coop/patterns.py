"""Regular expressions that others write, matched in time linear in the text.

Python's own engine backtracks: `(a|a)*b` on 48 letters holds the interpreter for hours, and with it
every run of a server. RE2 has neither that nor back-references and look-around, which it refuses.

>>> from shapley_coop.patterns import pattern
>>> pattern("(a|a)*b").search("a" * 48)
False
"""

from functools import lru_cache
from typing import Any

MOST_CHARACTERS = 1000
"""Of one expression."""

_MOST_MEMORY = 8 * 2**20


class Pattern:
    """A compiled expression: whether it matches somewhere in a text, from its begin, or all of it.

    Args:
        compiled: by RE2.
    """

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def search(self, text: str) -> bool:
        """Whether it matches somewhere."""
        return self._compiled.search(_readable(text)) is not None

    def match(self, text: str) -> bool:
        """Whether it matches from the begin."""
        return self._compiled.match(_readable(text)) is not None

    def fullmatch(self, text: str) -> bool:
        """Whether it matches the whole text."""
        return self._compiled.fullmatch(_readable(text)) is not None


@lru_cache(maxsize=10_000)
def pattern(expression: str, *, any_case: bool = False, across_lines: bool = False) -> Pattern:
    """An expression, compiled.

    Args:
        expression: in RE2's syntax.
        any_case: whether letters match in either case.
        across_lines: whether a dot matches the end of a line, too.

    Raises:
        ValueError: it is no expression of RE2, or too long; one line.
    """
    import re2

    shown = expression if len(expression) <= 80 else expression[:80] + "…"
    if len(expression) > MOST_CHARACTERS:
        raise ValueError(f"{shown!r}: an expression has at most {MOST_CHARACTERS} characters")
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


def _readable(text: str) -> str:
    # RE2 reads UTF-8, which has no half of a surrogate pair; names of files may have some.
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
