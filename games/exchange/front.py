"""The Pareto front over all partitions of the tasks, exactly.

A partition gives every atom to one agent and every agent at least one atom: N agents and n atoms
have about Nⁿ of them. The front is built from the fronts of sub-groups: what some agents make of a
set S of atoms does not depend on how the others split the rest, so that a split of S that is
dominated within the group can never be part of an efficient whole (dominance pruning, exact).
Utilities are integers, so that ties are ties.

Cost: two agents, O(2ⁿ log 2ⁿ). Three or more: 3ⁿ splits for each pair of agents, then the product
of the pairs' fronts over all 2ⁿ sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import MICRO
from shapley_coop.games.exchange.masks import Micros, full, subsets


@dataclass(frozen=True, eq=False)
class Front:
    """Every efficient utility vector, each with one partition that attains it.

    Attributes:
        points: shape (F, N), millionths, by falling utility of the first agent.
        masks: shape (F, N), who holds what.
    """

    points: Micros
    masks: Micros

    def distance(self, point: Sequence[int]) -> float:
        """Euclidean distance from a utility vector to the nearest efficient one, in [0, √N]."""
        gaps = (self.points - np.asarray(point, dtype=np.int64)).astype(np.float64) / MICRO
        return float(np.sqrt((gaps**2).sum(axis=1)).min())

    def contains(self, point: Sequence[int]) -> bool:
        """Whether a utility vector is efficient."""
        return bool((self.points == np.asarray(point, dtype=np.int64)).all(axis=1).any())


def pareto_front(utilities: Sequence[Micros]) -> Front:
    """The front of N ≥ 2 agents' tables of 2ⁿ utilities each."""
    everything = full(len(utilities[0]).bit_length() - 1)
    left, right = _halves(len(utilities))
    splits = _proper(everything)
    found = _join(_fronts(utilities[left]), _fronts(utilities[right]), everything, splits)
    order = np.lexsort(tuple(-found.points[:, i] for i in reversed(range(len(utilities)))))
    return Front(found.points[order], found.masks[order])


def efficient(points: Micros) -> NDArray[np.intp]:
    """Indices of the vectors that no other dominates, equal ones once.

    The vector of the highest sum is efficient; what it dominates or equals goes; again with the
    rest. Cost: the front's size times the number of vectors that are left.
    """
    if points.shape[1] == 1:
        return np.array([points[:, 0].argmax()])
    if points.shape[1] == 2:
        return _efficient_pairs(points)
    order = np.argsort(-points.sum(axis=1), kind="stable")
    left, kept = points[order], []
    while len(order):
        kept.append(order[0])
        alive = (left > left[0]).any(axis=1)
        left, order = left[alive], order[alive]
    return np.array(kept, dtype=np.intp)


def _efficient_pairs(points: Micros) -> NDArray[np.intp]:
    order = np.lexsort((-points[:, 1], -points[:, 0]))
    second = points[order, 1]
    best_before = np.concatenate([[np.int64(-1)], np.maximum.accumulate(second)[:-1]])
    kept: NDArray[np.intp] = order[second > best_before]
    return kept


def _fronts(utilities: Sequence[Micros]) -> dict[int, Front]:
    """For every set of atoms that the group can share out, the front within the group."""
    everything = full(len(utilities[0]).bit_length() - 1)
    if len(utilities) == 1:
        table = utilities[0]
        return {
            s: Front(table[s].reshape(1, 1), np.array([[s]], dtype=np.int64))
            for s in range(1, everything + 1)
        }
    if len(utilities) == 2:
        found = {s: _pair(utilities[0], utilities[1], s) for s in range(1, everything + 1)}
        return {s: front for s, front in found.items() if front is not None}
    left, right = _halves(len(utilities))
    first, second = _fronts(utilities[left]), _fronts(utilities[right])
    return {
        s: _join(first, second, s, _proper(s))
        for s in range(1, everything + 1)
        if s.bit_count() >= len(utilities)
    }


def _pair(one: Micros, other: Micros, whole: int) -> Front | None:
    mine = _proper(whole)
    if not len(mine):
        return None
    points = np.stack([one[mine], other[whole ^ mine]], axis=1)
    best = _efficient_pairs(points)
    return Front(points[best], np.stack([mine[best], whole ^ mine[best]], axis=1))


def _join(first: dict[int, Front], second: dict[int, Front], whole: int, splits: Micros) -> Front:
    """The front of two groups together on `whole`."""
    points, masks = [], []
    for s in splits.tolist():
        one, other = first.get(s), second.get(whole ^ s)
        if one is None or other is None:
            continue
        points.append(_products(one.points, other.points))
        masks.append(_products(one.masks, other.masks))
    every, held = np.concatenate(points), np.concatenate(masks)
    best = efficient(every)
    return Front(every[best], held[best])


def _products(one: Micros, other: Micros) -> Micros:
    """Every row of one beside every row of the other."""
    return np.hstack([np.repeat(one, len(other), axis=0), np.tile(other, (len(one), 1))])


def _proper(mask: int) -> Micros:
    """The subsets of a mask but ∅ and itself."""
    return subsets(mask)[1:-1]


def _halves(agents: int) -> tuple[slice, slice]:
    return slice(0, (agents + 1) // 2), slice((agents + 1) // 2, agents)


def best_sum(utilities: Sequence[Micros], whole: int) -> int:
    """The highest sum of utilities over the partitions of `whole` among some agents.

    Every agent gets at least one atom. Cost: 3^|whole| for each agent after the second.
    """
    best = utilities[0].copy()
    best[0] = _IMPOSSIBLE
    for more in utilities[1:-1]:
        best = _best_sums(best, more, whole)
    return int(best[whole]) if len(utilities) == 1 else _best_split(best, utilities[-1], whole)


_IMPOSSIBLE = -(10**15)


def _best_sums(best: Micros, more: Micros, whole: int) -> Micros:
    sums = np.full(len(best), _IMPOSSIBLE, dtype=np.int64)
    for s in subsets(whole).tolist():
        sums[s] = _best_split(best, more, s)
    return sums


def _best_split(best: Micros, more: Micros, whole: int) -> int:
    mine = _proper(whole)
    return int((best[mine] + more[whole ^ mine]).max()) if len(mine) else _IMPOSSIBLE
