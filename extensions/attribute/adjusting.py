"""Sampled Shapley values, adjusted by a model of the game that is fitted to what was played.

A play of an app costs money, and arithmetic does not. So a sparse sum of unanimity games is fitted
to the worths that are known (agents that are needed together: a pipeline is such a game), its
Shapley values are computed exactly, and what the model misses is estimated from random orders and
their reverses, as without it:

    φ = φ(model) + mean over orders of the marginal contributions to v − model

The orders are in folds, and the model of a fold is fitted to the other folds alone: it knows
nothing of the orders that correct it, so that a model that is wrong costs precision and no bias
(regression-adjusted Monte Carlo, Witter et al. 2025; cross-fitting, Chernozhukov et al. 2018).
"""

from itertools import combinations
from math import comb

import numpy as np

from shapley_coop.credit.coalitions import Floats
from shapley_coop.credit.values.sampling import BatchWorth, Coalitions, Estimate

FOLDS = 4
MOST_TERMS = 24
"""Of a model; of few known worths no more than a quarter of their number."""

MOST_CANDIDATES = 800
"""Sets of agents among which terms are looked for: the larger ones only where there are few."""


def adjusted_shapley(
    n: int, worth: BatchWorth, count: int, seed: int, known: Coalitions
) -> Estimate:
    """Estimate the Shapley value from so many random orders and their reverses.

    Args:
        n: agents, at least 2.
        worth: asked for many coalitions at once.
        count: orders; the same that the antithetic sampler draws for this seed. At least `FOLDS`.
        seed: of the orders.
        known: coalitions whose worth is known anyway, shape (m, n).

    Returns:
        Values that sum to v(N) − v(∅), with the standard errors of the adjusted orders.

    Raises:
        ValueError: there are fewer orders than folds.
    """
    if count < FOLDS:
        raise ValueError(f"{count} orders: at least {FOLDS} are needed to fit models to the others")
    rng = np.random.default_rng(seed)
    ranks = rng.permuted(np.broadcast_to(np.arange(n), (count, n)), axis=-1)
    # Shape (count, 2, n + 1, n): the coalitions of each order and of its reverse.
    both = np.stack([ranks, n - 1 - ranks], axis=1)
    rows = both[:, :, None, :] < np.arange(n + 1)[:, None]
    worths = worth(rows.reshape(-1, n)).reshape(rows.shape[:-1])
    fixed, candidates = worth(known), _candidates(n)
    drawn = np.empty((count, n))
    for fold in range(FOLDS):
        own = np.arange(count) % FOLDS == fold
        others = np.concatenate([rows[~own].reshape(-1, n), known])
        there = np.concatenate([worths[~own].ravel(), fixed])
        sets, coefficients = _fitted(others, there - worths[0, 0, 0], candidates)
        model = _holds(rows[own].reshape(-1, n), sets) @ coefficients
        missed = np.diff(worths[own] - model.reshape(rows[own].shape[:-1]))
        by_agent = np.take_along_axis(missed, both[own], axis=2).mean(axis=1)
        sizes = np.maximum(sets.sum(axis=1), 1)
        drawn[own] = by_agent + (coefficients / sizes) @ sets
    mean = drawn.mean(axis=0)
    errors = drawn.std(axis=0, ddof=1) / np.sqrt(count)
    evaluations = count * 2 * (n - 1) + 2
    return Estimate(mean, errors, evaluations, "adjusted", count, None)


def _candidates(n: int) -> Coalitions:
    """Sets of one agent, of two, and so on, as far as they are few; shape (k, n)."""
    found: list[tuple[int, ...]] = []
    for size in range(1, n + 1):
        if size > 2 and len(found) + comb(n, size) > MOST_CANDIDATES:
            break
        found += combinations(range(n), size)
    sets = np.zeros((len(found), n), dtype=bool)
    for row, members in zip(sets, found, strict=True):
        row[list(members)] = True
    return sets


def _holds(rows: Coalitions, sets: Coalitions) -> Floats:
    """Shape (m, k): 1 where the coalition holds all of the set."""
    held = rows.astype(np.float64) @ sets.T.astype(np.float64)
    return np.asarray(held == sets.sum(axis=1), dtype=np.float64)


def _fitted(rows: Coalitions, worths: Floats, candidates: Coalitions) -> tuple[Coalitions, Floats]:
    """Sets and coefficients of a model, by orthogonal matching pursuit; shapes (k, n) and (k,)."""
    rows, kept = np.unique(rows, axis=0, return_index=True)
    worths = worths[kept]
    there = _holds(rows, candidates)
    norms = np.sqrt((there**2).sum(axis=0))
    chosen: list[int] = []
    coefficients: Floats = np.zeros(0)
    left = worths
    enough = 1e-9 * np.abs(worths).max()
    while len(chosen) < min(MOST_TERMS, len(rows) // 4) and np.abs(left).max() > enough:
        fits = np.abs(there.T @ left) / np.maximum(norms, 1e-9)
        fits[chosen] = 0
        chosen.append(int(fits.argmax()))
        found, *_ = np.linalg.lstsq(there[:, chosen], worths, rcond=None)
        coefficients = np.asarray(found, dtype=np.float64)
        left = worths - there[:, chosen] @ coefficients
    return candidates[chosen], coefficients
