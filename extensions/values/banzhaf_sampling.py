"""The estimator of the Banzhaf value from random coalitions, with standard errors."""

import numpy as np

from shapley_coop.credit.coalitions import BatchWorth, Coalitions, Floats
from shapley_coop.credit.values.sampling import Estimate, standard_errors

LEAST_COALITIONS = 32
"""The number of random coalitions drawn before the first check of the target."""

CLEARLY = 4
"""The least ratio of a divisor to its standard error if estimated values are scaled."""


def sample_banzhaf(
    n: int,
    worth: BatchWorth,
    *,
    target_error: float | None = None,
    budget: int = 100_000,
    seed: int = 0,
    scaled: bool = False,
) -> Estimate:
    """Estimate the Banzhaf value of n agents, or if `scaled` the value scaled by `normalise`.

    One observation evaluates a random coalition and, for each agent, that coalition with the agent
    added or removed. So n + 1 evaluations give one marginal contribution of each agent. Arguments
    and result are those of `sampling.sample_shapley`.
    """
    nobody, everyone = worth(np.repeat([[False], [True]], n, axis=1))
    total = float(everyone - nobody)
    rng, drawn = np.random.default_rng(seed), np.empty((0, n))
    most = max(LEAST_COALITIONS, (budget - 2) // (n + 1))
    count = LEAST_COALITIONS
    while True:
        rows = rng.random((count - len(drawn), n)) < 0.5
        drawn = np.concatenate([drawn, _flips(worth, rows)])
        values, seen = _estimated(drawn, total, scaled)
        reached = None if target_error is None else bool(seen.max() <= target_error)
        if reached or count >= most:
            break
        count = min(most, 2 * count)
    evaluations = count * (n + 1) + 2
    return Estimate(values, seen, evaluations, "random coalitions", count, reached)


def _estimated(drawn: Floats, total: float, scaled: bool) -> tuple[Floats, Floats]:
    """Return values and errors; if scaled, values by `normalise`, errors by the delta method.

    Scaled errors are as large as the total unless the divisor is clearly above its own error.
    """
    values = drawn.mean(axis=0)
    missing = total - float(values.sum())
    if not scaled:  # `missing` shows how large a gain can be that no sample saw
        return values, standard_errors(drawn, least=abs(missing))
    signs, moved, divisor = np.sign(values), drawn - values, float(np.abs(values).sum())
    of_divisor = (moved @ signs)[:, None]
    if divisor <= CLEARLY * standard_errors(of_divisor)[0]:
        return values, np.full(len(values), abs(total) + divisor)
    parts = np.abs(values) / divisor
    spread = moved * signs - parts * of_divisor
    changes = moved - parts * moved.sum(axis=1, keepdims=True) + missing / divisor * spread
    return values + missing * parts, standard_errors(changes)


def _flips(worth: BatchWorth, rows: Coalitions) -> Floats:
    """Return each agent's marginal contribution to a coalition's others, a row per coalition."""
    n = rows.shape[1]
    found = []
    for row in rows:
        moved = row ^ np.eye(n, dtype=bool)
        worths = np.asarray(worth(np.vstack([row, moved])), dtype=np.float64)
        found.append(np.where(row, worths[0] - worths[1:], worths[1:] - worths[0]))
    return np.array(found)
