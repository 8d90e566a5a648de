"""Arbiters: decisions of a neutral third party, as baselines for negotiated outcomes.

All start from the disagreement point d: each agent's payoff without an agreement. An arbiter over
outcomes chooses one of finitely many payoff vectors that leave no agent with less than d. An
arbiter over splits divides the best total, for which agents must be able to make payments.

=================  ============================================================================
nash               max Π (u_i − d_i)                                                (Nash 1950)
kalai_smorodinsky  max min (u_i − d_i)/(b_i − d_i), where b_i is i's best payoff among outcomes
                   that leave no agent with less than d             (Kalai and Smorodinsky 1975)
fixed_split        d_i and an equal share of the surplus (the best total − Σ d)
random_split       d_i and a random share of the surplus, uniform over all divisions
=================  ============================================================================

>>> points = [(Fraction(2), Fraction(2)), (Fraction(6), Fraction(1)), (Fraction(0), Fraction(9))]
>>> nothing = (Fraction(0), Fraction(0))
>>> [float(x) for x in nash(points, nothing)], [float(x) for x in fixed_split(points, nothing)]
([6.0, 1.0], [4.5, 4.5])
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import prod
from random import Random
from typing import Any

from shapley_coop.games.reference_points import gains_of, parts_of_best

Point = tuple[Fraction, ...]
"""One payoff per agent, in the agents' order."""


def nash(points: Sequence[Point], disagreement: Point) -> Point:
    """Return the outcome with the largest product of gains; d if none gives all at least d.

    Args:
        points: the outcomes' payoffs.
        disagreement: d, each agent's payoff without an agreement.
    """
    return _best(points, disagreement, lambda point, _: prod(gains_of(point, disagreement)))


def kalai_smorodinsky(points: Sequence[Point], disagreement: Point) -> Point:
    """Return the outcome that maximizes the least relative gain; d if none gives all at least d.

    The arguments are those of `nash`.
    """
    return _best(points, disagreement, lambda point, best: parts_of_best(point, disagreement, best))


def fixed_split(points: Sequence[Point], disagreement: Point) -> Point:
    """Return d plus an equal share of the surplus. The arguments are those of `nash`."""
    return split(points, disagreement, [Fraction(1, len(disagreement))] * len(disagreement))


def random_split(points: Sequence[Point], disagreement: Point, seed: int = 0) -> Point:
    """Return d plus a random share of the surplus.

    All divisions are equally likely: shares are the gaps between sorted uniform draws.

    Args:
        points: the outcomes' payoffs.
        disagreement: d, each agent's payoff without an agreement.
        seed: the seed of the draw.
    """
    rng = Random(f"random split/{seed}")
    cuts = sorted(Fraction(rng.random()) for _ in disagreement[1:])
    ends = [Fraction(0), *cuts, Fraction(1)]
    return split(points, disagreement, [b - a for a, b in pairwise(ends)])


def _best(
    points: Sequence[Point], disagreement: Point, worth: Callable[[Point, Point], Any]
) -> Point:
    """Return the outcome with the largest `worth` that leaves no agent with less than d."""
    rational = [point for point in points if min(gains_of(point, disagreement)) >= 0]
    if not rational:
        return disagreement
    best = tuple(map(max, zip(*rational, strict=True)))
    return max(rational, key=lambda point: (worth(point, best), sum(point), point))


def split(points: Sequence[Point], disagreement: Point, parts: Sequence[Fraction]) -> Point:
    """Return d plus given shares of the surplus; d itself if there is no surplus.

    Args:
        points: the outcomes' payoffs.
        disagreement: d, each agent's payoff without an agreement.
        parts: each agent's share of the surplus; the shares sum to 1.
    """
    surplus = max(max(map(sum, points)) - sum(disagreement), Fraction(0))
    return tuple(d + part * surplus for d, part in zip(disagreement, parts, strict=True))
