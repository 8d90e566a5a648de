"""The turns at which an action can be taken at all, where a game's phases rule others out.

>>> testing = spans([3, 6, 7])
>>> testing, outside(testing, 2, 9)
([(3, 3), (6, 7)], [(2, 2), (4, 5), (8, 9)])
"""

from collections.abc import Callable, Iterable, Sequence

Spans = Sequence[tuple[int, int]]
"""Turns in order: the first and the last of each run of them."""

OpenTurns = Callable[[str, str], Spans | None]
"""(agent, action) → the turns at which it can be taken; None where no turn rules it out."""


def always_open(agent: str, action: str) -> Spans | None:
    """Return None: no turn rules an action out."""
    return None


def spans(turns: Iterable[int]) -> list[tuple[int, int]]:
    """Return ascending turns as runs."""
    found: list[tuple[int, int]] = []
    for turn in turns:
        if found and found[-1][1] == turn - 1:
            found[-1] = found[-1][0], turn
        else:
            found.append((turn, turn))
    return found


def outside(inside: Spans, first: int, last: int) -> list[tuple[int, int]]:
    """Return the turns from the first to the last that are in no run."""
    gaps, at = [], first
    for begins, ends in inside:
        gaps.append((at, min(begins - 1, last)))
        at = max(at, ends + 1)
    return [(a, b) for a, b in [*gaps, (at, last)] if a <= b]
