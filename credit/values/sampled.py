"""The values of one characteristic function, estimated from sampled coalitions."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import compress

import numpy as np

from shapley_coop.amounts import MICRO, from_micro
from shapley_coop.credit.characteristic import MOST_PER_AGENT, Attribution, Characteristic
from shapley_coop.credit.coalitions import Coalitions, Floats
from shapley_coop.credit.values.sampling import Estimate

Sampler = Callable[..., Estimate]
"""An estimator of values, with the arguments of `sampling.sample_shapley`."""

EVALUATIONS_PER_AGENT = 400
"""The most coalitions per agent that the sampler evaluates without a target."""

MOST_MEMBERSHIPS = 200_000_000
"""The sampler's limit of coalitions × agents, so that many agents get fewer samples each."""

LEAST_PER_AGENT = 16
"""The smallest budget of coalitions per agent: eight orders and their reverses."""


def attribute_by_sampling(of: Characteristic, by: str, sampler: Sampler) -> Attribution:
    """Return estimates of the agents' values under a norm, with standard errors.

    Args:
        of: the characteristic function.
        by: the norm's name.
        sampler: the norm's estimator, with the arguments and result of `sample_shapley`.
    """
    n, batch = len(of.agents), of.batch or partial(_one_by_one, of.agents, of.worth)
    ends = np.concatenate([~np.eye(n + 1, n, dtype=bool), np.eye(n + 1, n, dtype=bool)])
    worths = batch(ends)
    scale = max(abs(float(worths[n])), float(np.ptp(worths)))
    each = MOST_PER_AGENT if of.target else EVALUATIONS_PER_AGENT
    found = sampler(
        n,
        batch,
        target_error=(of.target or 0) * scale / n or None,
        budget=n * min(each, max(LEAST_PER_AGENT, MOST_MEMBERSHIPS // n**2)),
    )
    exactly, values = ([_millionths(x) for x in xs] for xs in (worths[: n + 1], found.values))
    total, marginal = exactly[-1], [exactly[-1] - x for x in exactly[:-1]]
    return of.attribution(by, _how(found), total, marginal, values, found.standard_error)


def _how(found: Estimate) -> str:
    missed = "" if found.reached is not False else ", errors above the target"
    return f"sampled ({found.method}, {found.evaluations} coalitions{missed})"


def _one_by_one(
    agents: Sequence[str], worth: Callable[[frozenset[str]], Fraction], coalitions: Coalitions
) -> Floats:
    """Return the worths of many coalitions by one call of `worth` for each."""
    return np.array([float(worth(frozenset(compress(agents, row)))) for row in coalitions])


def _millionths(x: float) -> Fraction:
    return from_micro(round(float(x) * MICRO))
