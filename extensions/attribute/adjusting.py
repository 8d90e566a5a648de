"""Sampled Shapley values, adjusted by a model of the game that is fitted to the known worths.

A play of an app costs money, and arithmetic does not. So a model, which is a sparse sum of simple
games, is fitted to the worths of the played coalitions. A coalition wins a simple game if it has
all agents of a set, at least one, or two of three. The Shapley values of the model are exact, since
the agents of a set are symmetric. Random orders and their reverses estimate the rest, v − model:

    φ = φ(model) + mean over orders of the marginal contributions to v − model

The orders are split into folds. The model for a fold is fitted to the other folds only, so it is
independent of the orders that correct it. A wrong model then costs precision but adds no bias
(regression-adjusted Monte Carlo, Witter et al. 2025; cross-fitting, Chernozhukov et al. 2018).
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from shapley_coop.credit.coalitions import BatchWorth, Coalitions, Floats
from shapley_coop.credit.values.sampling import Estimate

LEAST_FOLDS, FOLDS = 4, 8
MOST_TERMS = 24
"""The most terms of a model; a model of m known worths also has at most m / 4 terms."""

MOST_CANDIDATES = 1_600
"""The most candidate terms; sets of the next size are added only if all of that size fit."""


@dataclass(frozen=True)
class Terms:
    """k simple games among n agents: a coalition with enough agents of a game's set has worth 1.

    Attributes:
        sets: a (k, n) array of booleans: whether agent i (column) belongs to game j's set (row).
        least: for each of the k games, how many agents of its set must be present.
    """

    sets: Coalitions
    least: Floats

    def worth(self, rows: Coalitions) -> Floats:
        """Return an (m, k) array: the worth of each of m coalitions (`rows`) in each game."""
        there = rows.astype(np.float64) @ self.sets.T.astype(np.float64)
        return np.asarray(there >= self.least, dtype=np.float64)

    def values(self, points: Floats) -> Floats:
        """Return the Shapley values of the games' weighted sum; `points` are the k weights."""
        return np.asarray((points / self.sets.sum(axis=1)) @ self.sets)

    def some(self, chosen: list[int]) -> "Terms":
        """Return only the simple games with these indices."""
        return Terms(self.sets[chosen], self.least[chosen])


def adjusted_shapley(
    n: int, worth: BatchWorth, count: int, seed: int, known: Coalitions
) -> Estimate:
    """Estimate the Shapley value from random orders and their reverses.

    Args:
        n: the number of agents, at least 2.
        worth: the characteristic function, for many coalitions at once.
        count: the number of orders, at least `LEAST_FOLDS`; the sampler "antithetic" draws the same
            orders from the same seed.
        seed: the seed of the orders.
        known: further coalitions whose worths are known, one in each row.

    Returns:
        Values that sum to v(N) − v(∅), with standard errors over the adjusted orders.

    Raises:
        ValueError: `count` is below `LEAST_FOLDS`.
    """
    if count < LEAST_FOLDS:
        raise ValueError(f"{count} orders are too few: fitting models needs at least {LEAST_FOLDS}")
    both, rows = _orders(n, count, seed)
    worths = worth(rows.reshape(-1, n)).reshape(rows.shape[:-1])
    fixed, candidates, folds = worth(known), _candidates(n), min(count, FOLDS)
    drawn = np.empty((count, n))
    for fold in range(folds):
        own = np.arange(count) % folds == fold
        others = np.concatenate([rows[~own].reshape(-1, n), known])
        there = np.concatenate([worths[~own].ravel(), fixed])
        terms, points = _fitted(others, there - worths[0, 0, 0], candidates)
        model = terms.worth(rows[own].reshape(-1, n)) @ points
        missed = np.diff(worths[own] - model.reshape(rows[own].shape[:-1]))
        by_agent = np.take_along_axis(missed, both[own], axis=2).mean(axis=1)
        drawn[own] = by_agent + terms.values(points)
    mean = drawn.mean(axis=0)
    errors = drawn.std(axis=0, ddof=1) / np.sqrt(count)
    evaluations = count * 2 * (n - 1) + 2
    return Estimate(mean, errors, evaluations, "adjusted", count, None)


def _orders(n: int, count: int, seed: int) -> tuple[NDArray[np.int64], Coalitions]:
    """Return random orders and their reverses, an array (count, 2, n), and their coalitions.

    Coalitions are an array (count, 2, n + 1, n): those of each order and its reverse, from ∅ to N.
    """
    rng = np.random.default_rng(seed)
    ranks = rng.permuted(np.broadcast_to(np.arange(n), (count, n)), axis=-1)
    both = np.stack([ranks, n - 1 - ranks], axis=1)
    return both, both[:, :, None, :] < np.arange(n + 1)[:, None]


def _candidates(n: int) -> Terms:
    """Return the simple games to choose from, small sets first, at most `MOST_CANDIDATES` games."""
    found: list[tuple[tuple[int, ...], int]] = []
    for size in range(1, n + 1):
        enough = {1, size} | ({2} if size == 3 else set())
        if size > 2 and len(found) + comb(n, size) * len(enough) > MOST_CANDIDATES:
            break
        found += [(own, least) for own in combinations(range(n), size) for least in sorted(enough)]
    sets = np.zeros((len(found), n), dtype=bool)
    for row, (own, _) in zip(sets, found, strict=True):
        row[list(own)] = True
    return Terms(sets, np.array([least for _, least in found], dtype=np.float64))


def _fitted(rows: Coalitions, worths: Floats, candidates: Terms) -> tuple[Terms, Floats]:
    """Choose simple games one by one, each to minimise the remaining error; fit their weights.

    Candidates are made orthogonal to the chosen terms (orthogonal least squares, Chen et al. 1989).
    """
    rows, kept = np.unique(rows, axis=0, return_index=True)
    worths = worths[kept]
    there = candidates.worth(rows)
    beyond, left = there.copy(), worths.copy()
    least = 1e-6 * np.linalg.norm(there, axis=0)
    chosen: list[int] = []
    enough = 1e-9 * np.abs(worths).max()
    while len(chosen) < min(MOST_TERMS, len(rows) // 4) and np.abs(left).max() > enough:
        sizes = np.linalg.norm(beyond, axis=0)
        # A candidate no larger than `least` is a linear combination of the chosen terms: skip it.
        fits = np.abs(left @ beyond) / np.where(sizes > least, sizes, np.inf)
        chosen.append(int(fits.argmax()))
        axis = beyond[:, chosen[-1]] / sizes[chosen[-1]]
        beyond -= np.outer(axis, axis @ beyond)
        left -= axis * (axis @ left)
    points, *_ = np.linalg.lstsq(there[:, chosen], worths, rcond=None)
    return candidates.some(chosen), np.asarray(points, dtype=np.float64)
