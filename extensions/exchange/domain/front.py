"""The exact Pareto front over all partitions of the tasks.

A partition gives every atomic task ("atom") to one agent, and every agent at least one. There are
about Nⁿ partitions of n atoms among N agents. The front is built from the fronts of sub-groups. A
group's utilities of its atoms do not depend on how other agents split the other atoms. So a split
that is dominated within the group belongs to no efficient partition (dominance pruning, exact).
Utilities are integers, so that ties are exact.

Cost: O(2ⁿ log 2ⁿ) for two agents. For three or more agents, the code lists the 3ⁿ splits between
each pair of agents, then combines the fronts of the pairs for each of the 2ⁿ sets of atoms.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from shapley_coop.amounts import MICRO
from shapley_coop.extensions.exchange.domain.masks import Micros, subsets


@dataclass(frozen=True, eq=False)
class Front:
    """All efficient utility vectors, each with one partition that attains it.

    Attributes:
        points: the vectors as rows, in millionths, by falling utility of the first agent.
        masks: for each vector, a row with the atoms of each agent as a bit mask.
    """

    points: Micros
    masks: Micros

    def distance(self, point: Sequence[int]) -> float:
        """Return the Euclidean distance from a utility vector to the front, in [0, √N]."""
        gaps = (self.points - np.asarray(point, dtype=np.int64)).astype(np.float64) / MICRO
        return float(np.sqrt((gaps**2).sum(axis=1)).min())


def pareto_front(utilities: Sequence[Micros]) -> Front:
    """Return the front of N ≥ 2 agents' tables of 2ⁿ utilities each."""
    everything = len(utilities[0]) - 1
    found = _fronts(utilities, [everything])[everything]
    order = np.lexsort(tuple(-found.points[:, i] for i in reversed(range(len(utilities)))))
    return Front(found.points[order], found.masks[order])


def best_sum(utilities: Sequence[Micros], whole: int) -> int:
    """Return the highest sum of utilities over the partitions of `whole` among some agents.

    Every agent gets at least one atom. Cost: 3^|whole| for each agent after the second.
    """
    best = utilities[0].copy()
    best[0] = _IMPOSSIBLE
    for number, more in enumerate(utilities[1:], start=2):
        sums = np.full(len(best), _IMPOSSIBLE, dtype=np.int64)
        for s in subsets(whole).tolist() if number < len(utilities) else [whole]:
            if len(mine := _proper(s)):
                sums[s] = (best[mine] + more[s ^ mine]).max()
        best = sums
    return int(best[whole])


_IMPOSSIBLE = -(10**15)


def _fronts(utilities: Sequence[Micros], wholes: Iterable[int]) -> dict[int, Front]:
    """Return set → front of its partitions among a group; sets with too few atoms are left out."""
    if len(utilities) == 1:
        return {s: Front(utilities[0][[[s]]], np.array([[s]], dtype=np.int64)) for s in wholes}
    if len(utilities) == 2:
        return {s: _pair(utilities[0], utilities[1], s) for s in wholes if s.bit_count() >= 2}
    half = (len(utilities) + 1) // 2
    groups = utilities[:half], utilities[half:]
    first, second = (_fronts(group, range(1, len(utilities[0]))) for group in groups)
    return {s: _join(first, second, s) for s in wholes if s.bit_count() >= len(utilities)}


def _pair(one: Micros, other: Micros, whole: int) -> Front:
    mine = _proper(whole)
    theirs = whole ^ mine
    return _best(np.stack([one[mine], other[theirs]], axis=1), np.stack([mine, theirs], axis=1))


def _join(first: dict[int, Front], second: dict[int, Front], whole: int) -> Front:
    """Return the front of the partitions of `whole` among the members of two groups."""
    points, masks = [], []
    for s in _proper(whole).tolist():
        if s in first and whole ^ s in second:
            points.append(_products(first[s].points, second[whole ^ s].points))
            masks.append(_products(first[s].masks, second[whole ^ s].masks))
    return _best(np.concatenate(points), np.concatenate(masks))


def _best(points: Micros, masks: Micros) -> Front:
    """Return the utility vectors that no other vector dominates, without duplicates.

    The vector with the highest sum is efficient. Remove the vectors that it dominates or equals,
    and repeat. Cost: the front's size × the number of vectors; for two agents, a sort.
    """
    if points.shape[1] == 2:
        order = np.lexsort((-points[:, 1], -points[:, 0]))
        second = points[order, 1]
        best_before = np.concatenate([[np.int64(-1)], np.maximum.accumulate(second)[:-1]])
        best = order[second > best_before]
        return Front(points[best], masks[best])
    order = np.argsort(-points.sum(axis=1), kind="stable")
    left, kept = points[order], []
    while len(order):
        kept.append(order[0])
        alive = (left > left[0]).any(axis=1)
        left, order = left[alive], order[alive]
    return Front(points[kept], masks[kept])


def _products(one: Micros, other: Micros) -> Micros:
    """Return each row of the first array joined with each row of the second."""
    return np.hstack([np.repeat(one, len(other), axis=0), np.tile(other, (len(one), 1))])


def _proper(mask: int) -> Micros:
    """Return the subsets of a mask, without ∅ and the mask itself."""
    return subsets(mask)[1:-1]
