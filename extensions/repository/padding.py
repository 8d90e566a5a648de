"""The detection of repeated lines in a file, so that padding is paid only once."""

import re
from collections import Counter

from shapley_coop.extensions.repository.lines import LONG

_NUMBERS = re.compile(r"[0-9]+")


def but_for_numbers(line: str) -> str:
    """Return a line with each number replaced by 0.

    >>> but_for_numbers("padding_17 = 42")
    'padding_0 = 0'
    """
    return _NUMBERS.sub("0", line)


class Repeats:
    """The counter of a file's repeated lines; a call returns whether a line does not count.

    In a document, lines that differ only in numbers count once. In code, equal long lines of one
    commit count once. Short lines (`else:`), and lines that differ only in numbers, count
    at most `most_alike` times in a commit.

    >>> again = Repeats(code=False, most_alike=20)
    >>> again("We use tabs.", 1), again("We use tabs.", 2), again("We use spaces.", 2)
    (False, True, False)
    """

    def __init__(self, code: bool, most_alike: int) -> None:
        self._code, self._most_alike = code, most_alike
        self._seen = Counter[tuple[int, str, bool]]()

    def __call__(self, line: str, commit: int) -> bool:
        """Return whether a line is a repetition that does not count.

        Args:
            line: the text of the line.
            commit: the number of the commit that added the line.
        """
        alike = (commit if self._code else 0, but_for_numbers(line), False)
        allowed = {alike: self._most_alike if self._code else 1}
        if self._code and len(line) >= LONG:
            allowed[commit, line, True] = 1
        self._seen.update(allowed.keys())
        return any(self._seen[said] > most for said, most in allowed.items())
