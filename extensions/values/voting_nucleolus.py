"""The nucleolus of weighted voting games: a dynamic program over quotas finds coalitions."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shapley_coop.credit.coalitions import Floats, rounded
from shapley_coop.extensions.values.generation import Program, generate
from shapley_coop.extensions.values.voting import MOST_IN_64_BITS, VotingGame, Weights

MOST_NEEDS = 200_000
"""The most combinations of weights below the quotas that the dynamic program looks at."""

APART = 1e-9
"""Coalitions whose directions differ by less have the same direction."""


class Cheapest(NamedTuple):
    """For each need of weights (an array's cell), a coalition that meets the need most cheaply.

    Attributes:
        payoffs: the coalition's payoff; infinite if there is no coalition.
        directions: its direction.
        masks: its voters, as bits.
    """

    payoffs: Floats
    directions: Floats
    masks: NDArray[np.int64]


def voting_nucleolus(game: VotingGame, moved: Callable[[], None] = lambda: None) -> list[Fraction]:
    """Return the nucleolus; voters of equal weights are one player, as their payoffs are equal.

    A losing coalition's surplus is no smaller than that of one of its members alone, because
    payoffs are not negative. So the oracle looks for winning coalitions only.

    Raises:
        ValueError: more than one voter wins alone, or there are too many voters or weights.
    """
    needs = max(prod(quota + 1 for quota in rule) for rule in game.rules)
    if needs > MOST_NEEDS or len(game.agents) > MOST_IN_64_BITS:
        raise ValueError(
            f"{len(game.agents)} voters with quotas of {needs} combinations: the nucleolus is "
            f"computed for at most {MOST_IN_64_BITS} and {MOST_NEEDS}; round to a larger unit"
        )
    kinds = Counter(game.weights)
    alone = np.array([float(game.wins(own)) for own in kinds])
    each = np.array(list(kinds.values()), dtype=float)
    if alone @ each > 1:
        raise ValueError("there is no nucleolus: more than one voter wins alone")
    kind_of = [list(kinds).index(own) for own in game.weights]

    def worst(payoffs: Floats, direction: Floats) -> tuple[Floats, Floats]:
        found = [
            np.bincount([k for i, k in enumerate(kind_of) if mask >> i & 1], minlength=len(each))
            for rule in game.rules
            for mask in _cheapest(game, rule, payoffs[kind_of], direction[kind_of])
        ]
        return np.array(found, dtype=float).reshape(-1, len(each)), np.ones(len(found))

    first = Program(np.eye(len(each)), alone, each[None], np.ones(1), alone)
    payoffs = rounded(generate(first, worst, moved))
    return [payoffs[kind] for kind in kind_of]


def _cheapest(game: VotingGame, rule: Weights, payoffs: Floats, direction: Floats) -> list[int]:
    """Return the cheapest coalition that wins by a rule and has a direction other than 0.

    For each need the two cheapest coalitions with different directions are kept: whichever voters
    join them, one of the two has a direction other than 0. The list is empty if there is none.
    """
    shape = tuple(quota + 1 for quota in rule)
    nobody = Cheapest(np.full(shape, np.inf), np.zeros(shape), np.zeros(shape, dtype=np.int64))
    nobody.payoffs.flat[0] = 0
    known = [nobody, nobody._replace(payoffs=np.full(shape, np.inf))]
    for i, own in enumerate(game.weights):
        left = np.ix_(
            *(np.maximum(np.arange(q + 1) - w, 0) for q, w in zip(rule, own, strict=True))
        )
        joined = [
            Cheapest(a[left] + payoffs[i], z[left] + direction[i], m[left] | 1 << i)
            for a, z, m in known
        ]
        known = _two_best([*known, *joined])
    ends = [
        (one.payoffs.flat[-1], one.directions.flat[-1], int(one.masks.flat[-1])) for one in known
    ]
    return [mask for paid, z, mask in ends if np.isfinite(paid) and abs(z) > APART]


def _two_best(among: list[Cheapest]) -> list[Cheapest]:
    """Return each need's cheapest coalition, and the cheapest one with another direction."""
    payoffs, directions, masks = (np.stack(part) for part in zip(*among, strict=True))
    found = []
    for _ in range(2):
        at = payoffs.argmin(axis=0)[None]
        best = [np.take_along_axis(a, at, axis=0)[0] for a in (payoffs, directions, masks)]
        found.append(Cheapest(*best))
        payoffs = np.where(np.abs(directions - best[1]) < APART, np.inf, payoffs)
    return found
