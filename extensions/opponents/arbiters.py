"""Arbiters: what somebody who is no party would decide, as baselines for what was negotiated.

All start from the disagreement point d, what each agent has without an agreement. An arbiter over
outcomes chooses one of a finite set of payoffs, none of which leaves an agent with less than d; an
arbiter over splits divides the best total, which takes payments.

=================  ============================================================================
nash               max Π (u_i − d_i)                                                (Nash 1950)
kalai_smorodinsky  max min (u_i − d_i)/(b_i − d_i), b_i the best that i can have while no agent
                   has less than d                                  (Kalai and Smorodinsky 1975)
fixed_split        d_i and an equal part of what the best total adds to Σ d
random_split       d_i and a part of it drawn evenly from all divisions
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
    """The outcome of the highest product of gains; d where none leaves every agent as well off.

    Args:
        points: the outcomes' payoffs.
        disagreement: what each agent has without an agreement.
    """
    return _best(points, disagreement, lambda point, _: prod(gains_of(point, disagreement)))


def kalai_smorodinsky(points: Sequence[Point], disagreement: Point) -> Point:
    """Return the outcome at which the agent with the least part of its best gain has most; else d.

    The arguments are those of `nash`.
    """
    return _best(points, disagreement, lambda point, best: parts_of_best(point, disagreement, best))


def fixed_split(points: Sequence[Point], disagreement: Point) -> Point:
    """Each agent has d and an equal part of the surplus. The arguments are those of `nash`."""
    return split(points, disagreement, [Fraction(1, len(disagreement))] * len(disagreement))


def random_split(points: Sequence[Point], disagreement: Point, seed: int = 0) -> Point:
    """Each agent has d and a part of the surplus that is drawn.

    All divisions are equally likely: parts lie between sorted uniform draws.

    Args:
        points: the outcomes' payoffs.
        disagreement: what each agent has without an agreement.
        seed: of the draw.
    """
    rng = Random(f"random split/{seed}")
    cuts = sorted(Fraction(rng.random()) for _ in disagreement[1:])
    ends = [Fraction(0), *cuts, Fraction(1)]
    return split(points, disagreement, [b - a for a, b in pairwise(ends)])


def _best(
    points: Sequence[Point], disagreement: Point, worth: Callable[[Point, Point], Any]
) -> Point:
    """Of what leaves every agent with d, the outcome worth most; then the higher sum."""
    rational = [point for point in points if min(gains_of(point, disagreement)) >= 0]
    if not rational:
        return disagreement
    best = tuple(map(max, zip(*rational, strict=True)))
    return max(rational, key=lambda point: (worth(point, best), sum(point), point))


def split(points: Sequence[Point], disagreement: Point, parts: Sequence[Fraction]) -> Point:
    """d and parts of what the best total adds; d itself where it adds nothing.

    Args:
        points: the outcomes' payoffs.
        disagreement: what each agent has without an agreement.
        parts: each agent's part of the surplus; they sum to one.
    """
    surplus = max(max(map(sum, points)) - sum(disagreement), Fraction(0))
    return tuple(d + part * surplus for d, part in zip(disagreement, parts, strict=True))
