"""The measure of how much an edit changed a line, and the pairing of old with new lines."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, takewhile

RETOUCHED = Fraction(1, 4)
"""A line that changed by no more than this fraction keeps its author."""

_BREAKS = dict.fromkeys(map(ord, " \t\r\f\v,;()[]{}\\'\""))
"""White space, quotation marks, and the signs at which lines are usually broken."""

_TOKENS = re.compile(r"\w+|[^\w\s]")

_LONGEST = 400
"""The most characters of a line that is compared; a longer line is equal or entirely changed."""

_MOST_PAIRS = 400
"""The most pairs compared in one changed place; if more, lines are paired in their order."""


def extent(before: str, after: str) -> Fraction:
    """Return the fraction of a line that an edit changed, from 0 (equal) to 1 (all new).

    The changed part excludes the common beginning, the common end, and common words between them.

    >>> extent("total = price + tax", "total = price - tax")
    Fraction(1, 19)
    """
    longest = max(len(before), len(after))
    if before == after or longest > _LONGEST:
        return Fraction(before != after)
    start = _alike(before, after)
    end = _alike(before[start:][::-1], after[start:][::-1])
    between = [line[start : len(line) - end] for line in (before, after)]
    return Fraction(longest - start - end - _kept(*between), longest)


def _kept(before: str, after: str) -> int:
    """Return the number of characters in common words and signs, or 0 if most words differ.

    Thus the text between two small edits of a line counts as kept.
    """
    was, now = (Counter(_TOKENS.findall(part)) for part in (before, after))
    both = was & now
    most = max(_of_words(was), _of_words(now))
    return sum(len(token) * n for token, n in both.items()) if 2 * _of_words(both) > most else 0


def _of_words(tokens: Counter[str]) -> int:
    return sum(len(token) * n for token, n in tokens.items() if token[0].isalnum())


def replacements(
    edits: Iterable[tuple[Sequence[str], Sequence[str]]],
) -> Iterator[tuple[str, str, Fraction]]:
    """Yield each removed line, the line that replaced it, and the extent of the change.

    In each changed place, an added line is paired with the most similar removed line. If the text
    was only wrapped anew, it is paired with the removed line that held its first character.

    Args:
        edits: (removed lines, added lines) of each changed place in a file.
    """
    for gone, come in edits:
        if len(gone) != len(come) and _wraps(gone) == _wraps(come):
            pairs = _wrapped(gone, come)
        elif len(gone) == len(come) or len(gone) * len(come) > _MOST_PAIRS:
            pairs = [(was, now, extent(was, now)) for was, now in zip(gone, come, strict=False)]
        else:
            pairs = _closest(gone, come)
        yield from pairs


def _wraps(lines: Iterable[str]) -> str:
    """Return the joined text of lines without white space and the signs at which lines break."""
    return "".join(lines).translate(_BREAKS)


def _wrapped(gone: Sequence[str], come: Sequence[str]) -> list[tuple[str, str, Fraction]]:
    """Pair lines of text that was only wrapped anew: nothing changed, so each extent is 0."""
    starts = [0, *accumulate(len(_wraps([line])) for line in gone)]
    at, pairs = 0, []
    for line in come:
        pairs.append((gone[min(bisect(starts, at), len(gone)) - 1], line, Fraction(0)))
        at += len(_wraps([line]))
    return pairs


def _alike(one: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _closest(gone: Sequence[str], come: Sequence[str]) -> list[tuple[str, str, Fraction]]:
    """Return pairs of the most similar lines, with extents of change; no line is in two pairs."""
    ranked = sorted(
        (extent(was, now), i, j) for i, was in enumerate(gone) for j, now in enumerate(come)
    )
    used_gone: set[int] = set()
    used_come: set[int] = set()
    pairs = []
    for part, i, j in ranked:
        if i not in used_gone and j not in used_come:
            used_gone.add(i)
            used_come.add(j)
            pairs.append((gone[i], come[j], part))
    return pairs
