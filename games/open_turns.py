"""The turns at which an action is possible, in games that allow actions only in some phases.

>>> testing = spans([3, 6, 7])
>>> testing, outside(testing, 2, 9)
([(3, 3), (6, 7)], [(2, 2), (4, 5), (8, 9)])
"""

from collections.abc import Callable, Iterable, Sequence

Spans = Sequence[tuple[int, int]]
"""Ranges of turns, in order, each as its first and its last turn."""

OpenTurns = Callable[[str, str], Spans | None]
"""(agent, action) → the turns at which the action is possible; None for every turn."""


def always_open(agent: str, action: str) -> Spans | None:
    """Return None: every action is possible at every turn."""
    return None


def spans(turns: Iterable[int]) -> list[tuple[int, int]]:
    """Return ascending turns as ranges, each as its first and its last turn."""
    found: list[tuple[int, int]] = []
    for turn in turns:
        if found and found[-1][1] == turn - 1:
            found[-1] = found[-1][0], turn
        else:
            found.append((turn, turn))
    return found


def outside(inside: Spans, first: int, last: int) -> list[tuple[int, int]]:
    """Return the turns from `first` to `last` that are not inside the given ranges, as ranges."""
    gaps, at = [], first
    for begins, ends in inside:
        gaps.append((at, min(begins - 1, last)))
        at = max(at, ends + 1)
    return [(a, b) for a, b in [*gaps, (at, last)] if a <= b]
