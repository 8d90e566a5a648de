"""How much of a line an edit changed, and which line stands instead of which."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, takewhile

RETOUCHED = Fraction(1, 4)
"""A line of which no more than this changed is a line retouched, and stays its author's."""

_BREAKS = dict.fromkeys(map(ord, " \t\r\f\v,;()[]{}\\'\""))
"""White space, the signs that are put where a line is broken, and quotation marks."""

_TOKENS = re.compile(r"\w+|[^\w\s]")

_LONGEST = 400
"""Characters; beyond, a line that is not equal is another one."""

_MOST_PAIRS = 400
"""Of one place: beyond, lines are compared in their order and not each with each."""


def extent(before: str, after: str) -> Fraction:
    """Return the part of a line that an edit changed: 0 for equal ones, 1 for others.

    It lies between what both begin and end with, without the words that both have there.

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
    """Characters of the words and signs that both have, where most of the words are the same.

    Two small edits of a line are not all that stands between them.
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
    """Yield each line that went, the one that stands in its place, and the extent of the change.

    In one place each line that came is taken for the change of the line that it is most like; if
    lines were only broken in other places, for a part of that one.

    Args:
        edits: of each place, what was removed and what was added.
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
    """Return what some lines say, however they are broken."""
    return "".join(lines).translate(_BREAKS)


def _wrapped(gone: Sequence[str], come: Sequence[str]) -> list[tuple[str, str, Fraction]]:
    """Return each line that came, and the one of which it begins with a part."""
    starts = [0, *accumulate(len(_wraps([line])) for line in gone)]
    at, pairs = 0, []
    for line in come:
        pairs.append((gone[min(bisect(starts, at), len(gone)) - 1], line, Fraction(0)))
        at += len(_wraps([line]))
    return pairs


def _alike(one: str, other: str) -> int:
    """Return how many characters both begin with."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _closest(gone: Sequence[str], come: Sequence[str]) -> list[tuple[str, str, Fraction]]:
    """Return lines that are most alike, each in at most one pair."""
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
