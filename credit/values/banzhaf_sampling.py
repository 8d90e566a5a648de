"""The estimator of the Banzhaf value from random coalitions, with standard errors."""

import numpy as np

from shapley_coop.credit.coalitions import BatchWorth, Coalitions, Floats
from shapley_coop.credit.values.sampling import Estimate

LEAST_COALITIONS = 32
"""The number of random coalitions drawn before the first check of the target."""


def sample_banzhaf(
    n: int,
    worth: BatchWorth,
    *,
    target_error: float | None = None,
    budget: int = 100_000,
    seed: int = 0,
) -> Estimate:
    """Estimate the Banzhaf value of n agents.

    One observation evaluates a random coalition and, for each agent, that coalition with the agent
    added or removed. So n + 1 evaluations give one marginal contribution of each agent. Arguments
    and result are those of `sampling.sample_shapley`.
    """
    rng, drawn = np.random.default_rng(seed), np.empty((0, n))
    most = max(LEAST_COALITIONS, budget // (n + 1))
    count = LEAST_COALITIONS
    while True:
        rows = rng.random((count - len(drawn), n)) < 0.5
        drawn = np.concatenate([drawn, _flips(worth, rows)])
        seen = drawn.std(axis=0, ddof=1) / np.sqrt(count)
        reached = None if target_error is None else bool(seen.max() <= target_error)
        if reached or count >= most:
            break
        count = min(most, 2 * count)
    evaluations = count * (n + 1)
    return Estimate(drawn.mean(axis=0), seen, evaluations, "random coalitions", count, reached)


def _flips(worth: BatchWorth, rows: Coalitions) -> Floats:
    """Return a row per coalition: each agent's marginal contribution to it without the agent."""
    n = rows.shape[1]
    found = []
    for row in rows:
        moved = row ^ np.eye(n, dtype=bool)
        worths = np.asarray(worth(np.vstack([row, moved])), dtype=np.float64)
        found.append(np.where(row, worths[0] - worths[1:], worths[1:] - worths[0]))
    return np.array(found)
