"""Statistics for a few dozen runs: intervals, paired comparisons, multiple-test corrections.

No method here assumes normal data. Intervals and tests come from scipy. Each estimate has its n.

>>> from shapley_coop.extensions.reports.stats import rate_interval
>>> rate_interval([1] * 7 + [0] * 3).shown(2)
'0.70 [0.40, 0.89] n=10'
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import erfc, inf, isfinite, nan, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.extras import require_extra

Floats = NDArray[np.float64]

LEVEL = 0.95
QUANTILE = NormalDist().inv_cdf(0.5 + LEVEL / 2)
RESAMPLES = 9_999
MANY = 5_000
"""From this number of observations on, the normal distribution replaces resampling."""

EXACT_PAIRS = 15
"""Up to this number of differences, all 2**n assignments of signs are enumerated."""


@dataclass(frozen=True)
class Estimate:
    """An estimate with its interval and the number of observations.

    Attributes:
        value: the point estimate; NaN without data.
        low: the lower end of the interval.
        high: the upper end of the interval.
        n: the number of observations.
        method: the name of the interval's method.
        spread: the number that papers print after ±. For a mean: the sample standard deviation
            (n − 1), NaN for n < 2. For a rate: the binomial standard error √(p(1−p)/n).
    """

    value: float
    low: float
    high: float
    n: int
    method: str
    spread: float = nan

    @property
    def ends(self) -> tuple[float, ...]:
        """The two ends of the interval; empty for fewer than two observations."""
        return (self.low, self.high) if self.n > 1 else ()

    def shown(self, digits: int = 2) -> str:
        """Return the value with interval and n, as text."""
        value = f"{self.value:.{digits}f}" if self.n else "—"
        ends = ", ".join(f"{end:.{digits}f}" for end in self.ends)
        return f"{value} [{ends}] n={self.n}" if ends else f"{value} n={self.n}"


NOTHING = Estimate(nan, nan, nan, 0, "none")


def mean_interval(values: Sequence[float], resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return a mean with its bootstrap interval: bias-corrected and accelerated (BCa; Efron 1987).

    Args:
        values: the observations; a single observation has no interval.
        resamples: the number of bootstrap samples.
        seed: the seed of the resampling, so that the same data give the same interval.

    Cost: O(resamples · n), vectorised.
    """
    x = np.asarray(values, dtype=np.float64)
    n = len(x)
    if not n:
        return NOTHING
    mean, spread = float(x.mean()), _deviation(x)
    # BCa is undefined for data that differ only by rounding.
    if n == 1 or np.ptp(x) <= 1e-12 * max(1.0, abs(mean)):
        return Estimate(mean, mean, mean, n, "all equal" if n > 1 else "none", spread)
    if n >= MANY:
        half = QUANTILE * spread / sqrt(n)
        return Estimate(mean, mean - half, mean + half, n, "normal", spread)
    low, high = _bootstrap((x,), np.mean, "BCa", resamples, seed)
    return Estimate(mean, low, high, n, "bootstrap BCa", spread)


def rate_interval(outcomes: Sequence[float], level: float = LEVEL) -> Estimate:
    """Return a rate with its binomial interval (Wilson 1927).

    Raises:
        ValueError: an outcome is neither 0 nor 1.
    """
    if strange := [x for x in outcomes if x not in (0, 1)]:
        raise ValueError(f"{strange[0]} cannot be an outcome of a rate: give 0 or 1")
    n, k = len(outcomes), int(sum(outcomes))
    if not n:
        return NOTHING
    p, z = k / n, NormalDist().inv_cdf(0.5 + level / 2)
    error, wider = sqrt(p * (1 - p) / n), 1 + z**2 / n
    middle = (p + z**2 / (2 * n)) / wider
    half = z * sqrt(error**2 + (z / (2 * n)) ** 2) / wider
    low, high = (middle - half if k else 0.0), (middle + half if k < n else 1.0)
    return Estimate(p, low, high, n, "wilson", error)


def ratio_interval(over: Sequence[float], under: Sequence[float]) -> Estimate:
    """Return sum(`over`) / sum(`under`) with a bootstrap interval that resamples pairs (runs).

    The ratio is infinite if sum(`under`) is zero, as for tokens per agreement without agreements.
    """
    if not len(over):
        return NOTHING
    x, y = (np.asarray(values, dtype=np.float64) for values in (over, under))
    value = float(x.sum() / y.sum()) if y.sum() else inf
    if not x.any():
        return Estimate(value, value, value, len(x), "all equal")
    if len(x) == 1:
        return Estimate(value, value, value, 1, "none")
    if len(x) >= MANY and isfinite(value):
        # The delta method: a ratio's error is that of the mean of x − r·y, over the mean of y.
        half = QUANTILE * _deviation(x - value * y) / sqrt(len(x)) / abs(float(y.mean()))
        return Estimate(value, value - half, value + half, len(x), "normal")

    def inverse(above: Floats, below: Floats, axis: int = -1) -> Any:
        return below.sum(axis=axis) / above.sum(axis=axis)

    # The inverse ratio is finite, so its percentiles are taken, inverted and swapped.
    low, high = _bootstrap((x, y), inverse, "percentile")
    low, high = (1 / end if end > 0 else inf for end in (high, low))
    return Estimate(value, low, high, len(x), "bootstrap percentile")


@dataclass(frozen=True)
class Comparison:
    """The comparison of two conditions, A and B, on the same seeds.

    Attributes:
        measure: the compared measure.
        difference: the mean of B − A over the pairs, with its interval.
        first: A's mean over the pairs.
        second: B's mean over the pairs.
        effect: Cohen's d_z, the mean of the differences over their standard deviation; NaN if all
            differences are equal.
        more: the number of pairs in which B is larger.
        fewer: the number of pairs in which A is larger; the other pairs are ties.
        p: the two-sided p-value of `test`; NaN without pairs.
        adjusted: p after Holm's correction over all comparisons made together.
        test: the name of the test.
    """

    measure: str
    difference: Estimate
    first: float
    second: float
    effect: float
    more: int
    fewer: int
    p: float
    adjusted: float
    test: str


def compare(measure: str, pairs: Sequence[tuple[float, float]], seed: int = 0) -> Comparison:
    """Compare two conditions pair by pair with a sign-flip permutation test (Fisher 1935).

    Under the null hypothesis a pair's two values are exchangeable, so both signs of each difference
    are equally likely. For rates this is McNemar's exact test.

    Args:
        measure: the name of the measure.
        pairs: the values (A, B) on the same seed.
        seed: the seed of the sampled signs and of the interval.
    """
    a, b = (np.array([pair[i] for pair in pairs], dtype=np.float64) for i in (0, 1))
    d = (b - a).round(12)  # rounded, so that equal differences stay equal
    p, test = sign_flip(d, seed)
    spread = _deviation(d)
    return Comparison(
        measure=measure,
        difference=mean_interval(d.tolist(), seed=seed),
        first=float(a.mean()) if pairs else nan,
        second=float(b.mean()) if pairs else nan,
        effect=float(d.mean()) / spread if spread > 0 else nan,
        more=int((d > 0).sum()),
        fewer=int((d < 0).sum()),
        p=p,
        adjusted=p,
        test=test,
    )


def sign_flip(differences: Floats, seed: int = 0) -> tuple[float, str]:
    """Return the two-sided p-value for a mean difference of zero, and the test's name.

    `MANY` or more nonzero differences get a normal test. Fewer get an exact test if they are at
    most `EXACT_PAIRS` or all have the same size; otherwise the signs are sampled.
    """
    d = differences[differences != 0]
    if not len(differences):
        return nan, "no pairs"
    if not len(d):
        return 1.0, "sign-flip, exact"
    if len(d) >= MANY:
        # The sum of the differences under random signs has the variance Σd².
        z = float(abs(d.sum()) / np.sqrt((d**2).sum()))
        return erfc(z / sqrt(2)), "sign-flip, normal"
    if np.ptp(np.abs(d)) == 0:
        with require_extra("reports", "a test of differences"):
            from scipy.special import bdtr

        fewer = min(int((d > 0).sum()), int((d < 0).sum()))
        return min(1.0, 2 * float(bdtr(fewer, len(d), 0.5))), "sign-flip, exact"
    with require_extra("reports", "a test of differences"):
        # Import this here: scipy.stats takes more memory than the rows of a big report.
        from scipy.stats import permutation_test

    exact = len(d) <= EXACT_PAIRS
    found = permutation_test(
        (d,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf if exact else RESAMPLES,
        batch=_batch(len(d)),
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue), f"sign-flip, {'exact' if exact else f'{RESAMPLES} samples'}"


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method (1979) for the familywise error rate.

    p̃₍ᵢ₎ = max over j ≤ i of min(1, (m − j + 1) · p₍ⱼ₎); NaN stays and does not count in m.
    """
    known = [i for i, p in enumerate(p_values) if p == p]  # noqa: PLR0124 - NaN differs from itself
    adjusted, floor = list(p_values), 0.0
    for rank, i in enumerate(sorted(known, key=lambda i: p_values[i])):
        floor = max(floor, min(1.0, (len(known) - rank) * p_values[i]))
        adjusted[i] = floor
    return adjusted


def correct(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return these comparisons, which were made together, with p-values adjusted by `holm`."""
    adjusted = holm([c.p for c in comparisons])
    return [replace(c, adjusted=p) for c, p in zip(comparisons, adjusted, strict=True)]


def _bootstrap(
    samples: tuple[Floats, ...],
    statistic: Any,
    method: str,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    with require_extra("reports", "a mean's interval"):
        from scipy.stats import bootstrap

    found = bootstrap(
        samples,
        statistic,
        paired=len(samples) > 1,
        vectorized=True,
        method=method,
        confidence_level=LEVEL,
        n_resamples=resamples,
        batch=_batch(len(samples[0])),
        rng=np.random.default_rng(seed),
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def _deviation(x: Floats) -> float:
    return float(x.std(ddof=1)) if len(x) > 1 else nan


def _batch(n: int, cells: int = 2_000_000) -> int:
    """Return how many resamples to draw at once, so that they stay within about 16 MB."""
    return max(1, cells // n)
