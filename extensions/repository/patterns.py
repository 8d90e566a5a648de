"""Regular expressions from untrusted sources, which are matched in time linear in the text.

Python's own engine backtracks: `(a|a)*b` on 48 letters blocks the interpreter for hours, and thus
all runs on a server. RE2 does not backtrack, and refuses back-references and look-around. RE2
comes with the extra `patterns`. Expressions without repetition, choice and groups do not need RE2,
since they cannot backtrack.

>>> from shapley_coop.extensions.repository.patterns import pattern
>>> pattern("(a|a)*b").search("a" * 48)
False
"""

import re
from functools import lru_cache
from typing import Any

from shapley_coop.extras import require_extra

MOST_CHARACTERS = 1000
"""The most characters of an expression."""

_MOST_MEMORY = 8 * 2**20

_FIXED = re.compile(r"(?:[^\\.^$*+?{}()|\[\]]|\[(?:[0-9]-[0-9]|[a-z]-[a-z]|[A-Z]-[A-Z])\])*")
"""A sequence of characters and ranges, each of which matches exactly one character."""


class Pattern:
    """A compiled regular expression.

    Args:
        compiled: the expression, compiled by RE2, or by Python if all matches have one length.
    """

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def search(self, text: str) -> bool:
        """Return whether the expression matches anywhere in a text."""
        return self._compiled.search(_readable(text)) is not None

    def match(self, text: str) -> bool:
        """Return whether the expression matches at the beginning of a text."""
        return self._compiled.match(_readable(text)) is not None

    def fullmatch(self, text: str) -> bool:
        """Return whether the expression matches the whole text."""
        return self._compiled.fullmatch(_readable(text)) is not None


@lru_cache(maxsize=10_000)
def pattern(expression: str, *, any_case: bool = False, across_lines: bool = False) -> Pattern:
    """Compile a regular expression from an untrusted source.

    Args:
        expression: an expression in RE2's syntax.
        any_case: whether to ignore case.
        across_lines: whether a dot also matches a line end.

    Raises:
        LibraryMissing: the expression needs RE2, and RE2 is not installed.
        ValueError: the expression is invalid in RE2, or too long; the message is one line.
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
        raise ValueError(f"{shown!r} is not a regular expression: {why}") from None


def engine(who: str) -> Any:
    """Return the module of RE2.

    Args:
        who: the feature that needs RE2, for the error.

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
        raise ValueError(f"{shown!r} is not a regular expression: {error}") from None


def _readable(text: str) -> str:
    # RE2 reads UTF-8, which cannot encode the lone surrogates of undecodable file names.
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
