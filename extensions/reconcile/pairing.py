"""Pairs of events that have other ids in the two logs, but the same fields: nearest in time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import NamedTuple


class Alone(NamedTuple):
    """An event whose id the other log lacks; the order of such events names no side first."""

    time: int
    status: int
    id: str
    side: int


def pairs(events: Iterable[Alone]) -> Iterator[tuple[str, str]]:
    """Yield the ids of the first and the second log that stand for one event.

    Each event is in at most one pair. Events of equal time and status come first, in the order of
    their ids; of the others, always the two that are nearest in time.
    """
    left = sorted(events)
    alike: dict[tuple[int, int], tuple[list[Alone], list[Alone]]] = defaultdict(lambda: ([], []))
    for one in left:
        alike[one.time, one.status][one.side].append(one)
    paired: set[str] = set()
    for sides in alike.values():
        for ours, theirs in zip(*sides, strict=False):
            paired |= {ours.id, theirs.id}
            yield ours.id, theirs.id
    yield from _nearest([one for one in left if one.id not in paired])


def _nearest(events: list[Alone]) -> Iterator[tuple[str, str]]:
    """Yield pairs of events that are sorted by time, the nearest two of both sides first.

    No event that is left stands between the nearest two, so only neighbors are compared.
    """
    before, after = [*range(-1, len(events) - 1)], [*range(1, len(events) + 1)]
    gone = [False] * len(events)

    def distance(first: int, then: int) -> tuple[int, int, int]:
        return events[then].time - events[first].time, first, then

    near = [distance(n, n + 1) for n in range(len(events) - 1)]
    heapify(near)
    while near:
        _, first, then = heappop(near)
        if gone[first] or gone[then] or events[first].side == events[then].side:
            continue
        gone[first] = gone[then] = True
        ours, theirs = sorted((events[first], events[then]), key=lambda one: one.side)
        yield ours.id, theirs.id
        last, following = before[first], after[then]
        if last >= 0:
            after[last] = following
        if following < len(events):
            before[following] = last
        if last >= 0 and following < len(events):
            heappush(near, distance(last, following))
