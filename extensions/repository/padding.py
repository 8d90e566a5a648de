"""Lines of one file that say what another has said: padding is paid once."""

import re
from collections import Counter

from shapley_coop.extensions.repository.lines import LONG

_NUMBERS = re.compile(r"[0-9]+")


def but_for_numbers(line: str) -> str:
    """Return a line with each number as 0.

    >>> but_for_numbers("padding_17 = 42")
    'padding_0 = 0'
    """
    return _NUMBERS.sub("0", line)


class Repeats:
    """Tells of each line of a file whether it has been said as often as it counts.

    In a document, lines that are equal but for numbers count once. In code, equal lines of one
    commit count once if they are long, and `most_alike` of those that are short (`else:` has to be
    written again) or differ in numbers alone.

    >>> again = Repeats(code=False, most_alike=20)
    >>> again("We use tabs.", 1), again("We use tabs.", 2), again("We use spaces.", 2)
    (False, True, False)
    """

    def __init__(self, code: bool, most_alike: int) -> None:
        self._code, self._most_alike = code, most_alike
        self._seen = Counter[tuple[int, str, bool]]()

    def __call__(self, line: str, commit: int) -> bool:
        """Return whether it does not count.

        Args:
            line: of the file.
            commit: the number of the one that added it.
        """
        alike = (commit if self._code else 0, but_for_numbers(line), False)
        allowed = {alike: self._most_alike if self._code else 1}
        if self._code and len(line) >= LONG:
            allowed[commit, line, True] = 1
        self._seen.update(allowed.keys())
        return any(self._seen[said] > most for said, most in allowed.items())
