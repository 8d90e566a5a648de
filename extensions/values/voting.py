"""Weighted voting games: exact power indices, by counting coalitions by size and weight.

A coalition wins if its weights reach a quota. Voters may have several weights, such as one state
and a population: then a coalition wins if it reaches all quotas of at least one rule.

    weights: {Germany: {state: 1, population: 83.2}, Malta: {state: 1, population: 0.5}}
    quota: [{state: 2, population: 65%}, {state: 3}]
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, gcd, lcm, prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import parse_exact
from shapley_coop.credit.coalitions import check_agents
from shapley_coop.credit.reading import as_list, as_number, as_object, only_keys

MOST_CELLS = 12_000_000
"""The largest table of counts by size and weights, of 8 bytes each."""

MOST_HALVED = 34
"""The largest number of voters whose coalitions are counted as pairs of two halves' coalitions."""

MOST_IN_64_BITS = 62
"""The largest number of voters whose coalitions can be counted in 64 bits."""

Weights = tuple[int, ...]
"""One whole number for each kind of weight."""


@dataclass(frozen=True)
class VotingGame:
    """A weighted voting game.

    Attributes:
        agents: the voters.
        weights: each voter's weights.
        rules: the quotas of each rule, in the order of the kinds of weights.
        sign: the factor between worths and values.
        total: v(N), as all voters together win.
    """

    agents: Sequence[str]
    weights: Sequence[Weights]
    rules: Sequence[Weights]
    sign: ClassVar[int] = 1
    total: ClassVar[Fraction] = Fraction(1)

    def wins(self, sums: Sequence[Any]) -> Any:
        """Return whether a coalition with these sums of weights wins; sums may be arrays."""
        won: Any = False
        for rule in self.rules:
            reached: Any = True
            for has, quota in zip(sums, rule, strict=True):
                reached = reached & (has >= quota)
            won = won | reached
        return won

    def table(self) -> list[Fraction]:
        """Return the worths of all 2ⁿ coalitions: 1 for those that win, else 0."""
        sums = np.zeros((len(self.sums), 1), dtype=np.int64)
        for own in self.weights:
            sums = np.concatenate([sums, sums + np.array(own)[:, None]], axis=1)
        return [Fraction(int(won)) for won in self.wins(list(sums))]

    def semivalues(
        self, chances: Sequence[Fraction], moved: Callable[[], None] = lambda: None
    ) -> list[Fraction]:
        """Return each voter's chance that a random coalition of the others wins only with it.

        Args:
            chances: the probability of one coalition of the others, by its size.
            moved: called after each voter.
        """
        known: dict[Weights, Fraction] = {}
        for own in self.weights:
            if own not in known:
                counted = zip(chances, self.swings(own), strict=True)
                known[own] = sum((p * n for p, n in counted), Fraction(0))
            moved()
        return [known[own] for own in self.weights]

    def swings(self, own: Weights) -> list[int]:
        """Return, by size, the number of coalitions that win only with a voter of these weights.

        Raises:
            ValueError: there are too many voters, or their weights are too large.
        """
        cells = (len(self.agents) + 1) * prod(self.sums[k] + 1 for k in self._kinds)
        if cells <= MOST_CELLS:
            return self._swings_by_weight(own)
        if len(self._kinds) == 1 and len(self.agents) <= MOST_HALVED:
            return self._swings_by_halves(own, self._kinds[0])
        raise ValueError(
            f"{len(self.agents)} voters with weights of {max(self.sums)} in all need {cells:.1e} "
            f"counts, and at most {MOST_CELLS:.1e} are made: round the weights in a larger unit"
        )

    @cached_property
    def sums(self) -> Weights:
        """The sum of all voters' weights of each kind."""
        return tuple(map(sum, zip(*self.weights, strict=True)))

    @cached_property
    def _kinds(self) -> list[int]:
        """The kinds of weights that differ between voters; size gives a coalition's other sums."""
        return [k for k, each in enumerate(zip(*self.weights, strict=True)) if len(set(each)) > 1]

    @cached_property
    def _counts(self) -> NDArray[Any]:
        """The number of coalitions by size (the first axis) and by each kind of weight."""
        n = len(self.agents)
        shape = (n + 1, *(self.sums[k] + 1 for k in self._kinds))
        counts = np.zeros(shape, dtype=np.int64 if n <= MOST_IN_64_BITS else object)
        counts.flat[0] = 1
        for own in self.weights:
            without, with_ = self._cells(own)
            for size in range(n, 0, -1):
                counts[size : size + 1][with_] += counts[size - 1 : size][without]
        return counts

    def _cells(self, own: Weights) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Return the cells that a voter's joining moves coalitions from, and those it moves to,
        in rows of one size."""
        sizes, every = [(self.sums[k] + 1, own[k]) for k in self._kinds], slice(None)
        without = (every, *(slice(size - w) for size, w in sizes))
        return without, (every, *(slice(w, None) for _, w in sizes))

    def _swings_by_weight(self, own: Weights) -> list[int]:
        counts, (without, with_) = self._counts[:-1].copy(), self._cells(own)
        for size in range(1, len(counts)):  # leave only the coalitions of the others
            counts[size : size + 1][with_] -= counts[size - 1 : size][without]
        nothing = (0,) * len(own)
        swung = self.wins(self._sums_of_cells(own)) & ~self.wins(self._sums_of_cells(nothing))
        swung = np.broadcast_to(swung, counts.shape)
        return [int(row[at].sum()) for row, at in zip(counts, swung, strict=True)]

    def _sums_of_cells(self, more: Weights) -> list[NDArray[np.int64]]:
        """Return the coalitions' weights at all cells, with `more` added, for broadcasting."""
        found = []
        for k, extra in enumerate(more):
            axis = 1 + self._kinds.index(k) if k in self._kinds else 0
            each = np.arange(self.sums[k] + 1)
            if not axis:
                each = np.arange(len(self.agents)) * self.weights[0][k]
            found.append(
                each.reshape([-1 if a == axis else 1 for a in range(len(self._kinds) + 1)]) + extra
            )
        return found

    def _swings_by_halves(self, own: Weights, k: int) -> list[int]:
        """Count the pairs of coalitions, one from each half of the others, that make a swing."""
        others = [weights[k] for weights in self.weights]
        others.remove(own[k])
        middle = len(others) // 2
        first, second = _sums_by_size(others[:middle]), _sums_by_size(others[middle:])
        found = [0] * len(self.agents)
        for a, sums in enumerate(first):
            for b, beside in enumerate(second):
                low, high = self._least(own, k, a + b, 1), self._least(own, k, a + b, 0)
                ends = beside.searchsorted(high - sums) - beside.searchsorted(low - sums)
                found[a + b] += int(ends.sum())
        return found

    def _least(self, own: Weights, k: int, size: int, joined: int) -> int:
        """Return the least weight of kind k by which `size` others win, with or without a voter."""
        enough = [
            rule[k] - joined * own[k]
            for rule in self.rules
            if all((size + joined) * own[j] >= q for j, q in enumerate(rule) if j != k)
        ]
        return min([*enough, self.sums[k] + 1])


def _sums_by_size(weights: Sequence[int]) -> list[NDArray[np.int64]]:
    """Return the sorted weights of all coalitions, by their size."""
    sums, sizes = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for weight in weights:
        sums, sizes = np.append(sums, sums + weight), np.append(sizes, sizes + 1)
    return [np.sort(sums[sizes == size]) for size in range(len(weights) + 1)]


def read_voting(content: Mapping[str, Any]) -> VotingGame:
    """Return the game in {"weights": {name: weight or {kind: weight}}, "quota": …}.

    Raises:
        ValueError: a weight or a quota is invalid, or the coalition of all, or of nobody, is wrong.
    """
    only_keys(content, ("weights", "quota"), "the input")
    voters = as_object(content["weights"], '"weights"')
    check_agents(list(voters))
    if "quota" not in content:
        raise ValueError('the input has no "quota": give the least weight that wins')
    kinds, rows = _weights(voters)
    rules = [_quotas(rule, kinds, rows) for rule in _rules(content["quota"])]
    scales = [_scale([row[k] for row in rows]) for k in range(len(kinds))]
    game = VotingGame(
        list(voters),
        [tuple(int(x * scale) for x, scale in zip(row, scales, strict=True)) for row in rows],
        [tuple(ceil(x * scale) for x, scale in zip(rule, scales, strict=True)) for rule in rules],
    )
    if not game.wins(game.sums):
        raise ValueError("all voters together do not reach the quota: lower it")
    if game.wins((0,) * len(kinds)):
        raise ValueError("a coalition of nobody reaches the quota: give one above 0")
    return game


def _scale(weights: Sequence[Fraction]) -> Fraction:
    """Return the smallest factor that makes all weights whole numbers."""
    whole = lcm(*(weight.denominator for weight in weights))
    return Fraction(whole, gcd(*(int(weight * whole) for weight in weights)) or 1)


def _weights(voters: Mapping[str, Any]) -> tuple[list[str], list[list[Fraction]]]:
    """Return the kinds of weights, and each voter's weights; one plain number has the kind ""."""
    given = [w if isinstance(w, Mapping) else {"": w} for w in voters.values()]
    kinds, rows = list(given[0]), []
    for name, one in zip(voters, given, strict=True):
        if set(one) != set(kinds):
            raise ValueError(f"{name} has not the same kinds of weights as {next(iter(voters))}")
        row = [as_number(one[kind], f"the weight of {name} {kind}".strip()) for kind in kinds]
        if min(row) < 0:
            raise ValueError(f"a weight of {name} is negative: 0 or more is needed")
        rows.append(row)
    return kinds, rows


def _rules(quota: Any) -> list[Mapping[str, Any]]:
    rules = as_list(quota, '"quota"') if isinstance(quota, list) else [quota]
    return [rule if isinstance(rule, Mapping) else {"": rule} for rule in rules]


def _quotas(
    rule: Mapping[str, Any], kinds: Sequence[str], rows: Sequence[Sequence[Fraction]]
) -> list[Fraction]:
    """Return a rule's quota for each kind of weight; a kind that it does not name has quota 0."""
    only_keys(rule, kinds, '"quota"')
    found = []
    for k, kind in enumerate(kinds):
        told, what = rule.get(kind, 0), f'"quota" {kind}'.strip()
        if not (isinstance(told, str) and told.endswith("%")):
            found.append(as_number(told, what))
            continue
        try:
            found.append(parse_exact(told) * sum(row[k] for row in rows))
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None
    return found
