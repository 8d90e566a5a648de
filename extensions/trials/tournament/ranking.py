"""A ranking of seats from comparisons in equal situations, so that no role favours a seat.

Two seats are compared if both had the same role of the same game against the same opponent on the
same seed. The higher payoff wins; equal payoffs count as half a win for each seat. So game units,
roles and opponents favour no seat. Strengths θ are Bradley and Terry's (Biometrika 39, 1952):
P(i beats j) = 1 / (1 + exp(θ_j − θ_i)), Σθ = 0. One tie is added to each pair, so that a seat
that won every comparison still has a finite strength.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shapley_coop.extensions.reports.stats import LEVEL, Estimate
from shapley_coop.extras import require_extra

with require_extra("trials", "a tournament's ranking"):
    from scipy.optimize import minimize

Floats = NDArray[np.float64]

RESAMPLES = 1_000
GENERATIONS = 1_000
EPSILON = 1e-6
"""Payoffs that differ by no more than this are equal: amounts are whole millionths."""


@dataclass(frozen=True)
class Rank:
    """A seat's entry in the ranking of seats.

    Attributes:
        seat: the seat's name.
        strength: θ, with a percentile bootstrap interval over the seeds; n counts the seeds.
        won: the fraction of the seat's comparisons that it won; a tie is half a win.
        compared: the number of the seat's comparisons.
        population: the seat's share of a population of these seats (`shares`).
    """

    seat: str
    strength: Estimate
    won: float
    compared: int
    population: float


def wins(payoffs: Floats) -> Floats:
    """Return, for each two seats, in how many equal situations the one got more than the other.

    Args:
        payoffs: an array (games, roles, seats, opponents, seeds), in each game's own unit.

    Returns:
        For each seed a matrix of the row seat's wins over the column seat; a tie is half a win.
    """
    more = payoffs[:, :, :, None] - payoffs[:, :, None, :]
    counts = (more > EPSILON) + 0.5 * (np.abs(more) <= EPSILON)
    found: Floats = np.moveaxis(counts.sum(axis=(0, 1, 4)), -1, 0)
    diagonal = np.arange(payoffs.shape[2])
    found[:, diagonal, diagonal] = 0.0
    return found


def strengths(won: Floats) -> Floats:
    """Return the Bradley–Terry strengths of seats from their wins, centred on zero.

    Args:
        won: a matrix of the row seat's wins over the column seat.

    Returns:
        Each seat's strength: the likelihood's only maximum, up to the optimizer's tolerance.
    """
    seats = len(won)
    counted = won + 0.5 * (1 - np.eye(seats))
    scale = counted.sum()

    def loss(theta: Floats) -> tuple[float, Floats]:
        gap = theta[:, None] - theta[None, :]
        lost = counted / (1 + np.exp(gap))
        value = float((counted * np.logaddexp(0, -gap)).sum() / scale)
        return value, (lost.sum(axis=0) - lost.sum(axis=1)) / scale

    found = minimize(loss, np.zeros(seats), jac=True, method="L-BFGS-B", options={"gtol": 1e-7})
    theta: Floats = found.x - found.x.mean()
    return theta


def rank(seats: Sequence[str], payoffs: Floats, seed: int = 0) -> list[Rank]:
    """Return the seats by strength, the strongest first; ties keep the order of `seats`.

    Args:
        seats: the seats' names.
        payoffs: the payoffs, shaped as for `wins`.
        seed: the bootstrap's seed, fixed so that the same payoffs give the same interval.

    Cost: O(resamples · seats²) after one pass over all comparisons.
    """
    by_seed = wins(payoffs)
    total, seeds = by_seed.sum(axis=0), len(by_seed)
    theta = strengths(total)
    drawn = np.random.default_rng(seed).integers(seeds, size=(RESAMPLES, seeds))
    again = [strengths(by_seed[one].sum(axis=0)) for one in drawn] if seeds > 1 else [theta]
    edge = (1 - LEVEL) / 2
    low, high = np.quantile(np.array(again), (edge, 1 - edge), axis=0)
    found, population = [], shares(payoffs)
    for i, name in enumerate(seats):
        method = "bootstrap percentile" if seeds > 1 else "none"
        strength = Estimate(float(theta[i]), float(low[i]), float(high[i]), seeds, method)
        compared = float(total[i].sum() + total[:, i].sum())
        won = float(total[i].sum()) / compared
        found.append(Rank(name, strength, won, round(compared), float(population[i])))
    return sorted(found, key=lambda one: -round(one.strength.value, 6))


def shares(payoffs: Floats) -> Floats:
    """Return each seat's share of a population after `GENERATIONS` of replicator dynamics.

    Seats meet in proportion to their shares, and seats that earn more than the mean grow (Taylor
    and Jonker, Mathematical Biosciences 40, 1978, in discrete generations). This separates seats
    that only exploit weak seats from seats that do well against strong ones. All shares start
    equal. Each game has the same weight: its payoffs are scaled to the range 0 to 1.

    >>> hawk_dove = np.array([[0.0, 3.0], [1.0, 2.0]])
    >>> shares(hawk_dove[None, None, :, :, None]).round(2).tolist()
    [0.5, 0.5]

    Args:
        payoffs: an array (games, roles, seats, opponents, seeds), in each game's own unit.

    Returns:
        One share for each seat; they sum to 1. A seat's fitness is 1 plus its mean scaled payoff
        against the current population. A game whose payoffs are all equal changes no share.
    """
    low = payoffs.min(axis=(1, 2, 3, 4), keepdims=True)
    span = payoffs.max(axis=(1, 2, 3, 4), keepdims=True) - low
    scaled = (payoffs - low) / np.where(span > 0, span, 1.0)
    fitness = 1 + scaled.mean(axis=(0, 1, 4))
    found = np.full(len(fitness), 1 / len(fitness))
    for _ in range(GENERATIONS):
        grown = found * (fitness @ found)
        found = grown / grown.sum()
    return found
