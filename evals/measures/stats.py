"""Statistics that hold for a few dozen runs: intervals, paired comparisons, many at a time.

Nothing here assumes normal data. Whatever is returned names its n.

>>> from shapley_coop.evals.measures.stats import rate_interval
>>> rate_interval([1] * 7 + [0] * 3).shown(2)
'0.70 [0.40, 0.89] n=10'
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, ndtri

Floats = NDArray[np.float64]
RateMethod = Literal["wilson", "clopper-pearson"]

LEVEL = 0.95
RESAMPLES = 9_999
EXACT_PAIRS = 15
"""Up to here all 2**n signs of the differences are gone through."""


@dataclass(frozen=True)
class Estimate:
    """A number, what it could as well be, and how many runs it is from.

    Attributes:
        value: the point estimate; NaN without data.
        low: of the interval.
        high: of the interval.
        n: observations.
        method: how the interval was made.
        deviation: sample standard deviation (n − 1); NaN for n < 2.
    """

    value: float
    low: float
    high: float
    n: int
    method: str
    deviation: float = nan

    def shown(self, digits: int = 2) -> str:
        """The number with interval and n."""
        if not self.n:
            return "— n=0"
        if self.n == 1:
            return f"{self.value:.{digits}f} n=1"
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}] n={self.n}"


def mean_interval(
    values: Sequence[float], level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """A mean with its bootstrap interval: bias-corrected and accelerated (BCa; Efron 1987).

    Args:
        values: one observation each; a single one has no interval.
        level: of confidence.
        resamples: bootstrap samples.
        seed: of the resampling, so that the same data give the same interval.

    Cost: O(resamples · n), vectorised.
    """
    x = np.asarray(values, dtype=np.float64)
    n = len(x)
    if not n:
        return Estimate(nan, nan, nan, 0, "none")
    mean = float(x.mean())
    spread = float(x.std(ddof=1)) if n > 1 else nan
    # What differs by rounding alone is equal, and has no acceleration.
    if n == 1 or np.ptp(x) <= 1e-12 * max(1.0, abs(mean)):
        return Estimate(mean, mean, mean, n, "all equal" if n > 1 else "none", spread)
    rng = np.random.Generator(np.random.Philox(seed))
    drawn = (rng.integers(n, size=(m, n)) for m in _chunks(resamples, n))
    means = np.concatenate([x[at].mean(axis=1) for at in drawn])
    low, high = np.quantile(means, _bca(x, means, mean, level))
    return Estimate(mean, float(low), float(high), n, "bootstrap BCa", spread)


def rate_interval(
    outcomes: Sequence[float], level: float = LEVEL, method: RateMethod = "wilson"
) -> Estimate:
    """A rate with its binomial interval.

    Wilson (1927): (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n), the default.
    Clopper–Pearson (1934): beta quantiles; never covers less than it says, and is wider for it.

    Raises:
        ValueError: an outcome is neither 0 nor 1.
    """
    if strange := [x for x in outcomes if x not in (0, 1)]:
        raise ValueError(f"{strange[0]} is no outcome of a rate: give 0 or 1")
    n, k = len(outcomes), int(sum(outcomes))
    if not n:
        return Estimate(nan, nan, nan, 0, "none")
    p, tail = k / n, (1 - level) / 2
    if method == "clopper-pearson":
        low = float(betaincinv(k, n - k + 1, tail)) if k else 0.0
        high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    else:
        z = -float(ndtri(tail))
        centre, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        # At the ends the formula gives 0 and 1 but for the last bit.
        low = (centre - half) / (1 + z * z / n) if k else 0.0
        high = (centre + half) / (1 + z * z / n) if k < n else 1.0
    deviation = sqrt(p * (1 - p) * n / (n - 1)) if n > 1 else nan
    return Estimate(p, low, high, n, method, deviation)


def ratio_interval(
    over: Sequence[float],
    under: Sequence[float],
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Σ over / Σ under with a percentile bootstrap interval over the pairs, which are the runs.

    Infinite where nothing is below the line, as in the tokens per agreement of runs without one.
    """
    x = np.array([over, under], dtype=np.float64)
    n = x.shape[1]
    if not n:
        return Estimate(nan, nan, nan, 0, "none")
    rng = np.random.Generator(np.random.Philox(seed))
    drawn = (rng.integers(n, size=(m, n)) for m in _chunks(resamples, n))
    sums = np.concatenate([x[:, at].sum(axis=2) for at in drawn], axis=1)
    with np.errstate(divide="ignore"):
        ratios = np.sort(sums[0] / sums[1])
        value = float(x[0].sum() / x[1].sum())
    low, high = (
        ratios[round(tail * (resamples - 1))] for tail in ((1 - level) / 2, (1 + level) / 2)
    )
    return Estimate(value, float(low), float(high), n, "bootstrap percentile")


@dataclass(frozen=True)
class Comparison:
    """Two conditions on the same seeds.

    Attributes:
        measure: what was compared.
        difference: mean of B − A over the pairs, with its interval.
        first: A's mean over the pairs.
        second: B's mean over the pairs.
        effect: Cohen's d_z, mean of the differences over their standard deviation; NaN where
            they are all equal.
        more: pairs in which B had more; `fewer` in which A had; the others are ties.
        fewer: see `more`.
        p: two-sided, of the test that `test` names; NaN without pairs.
        adjusted: p after Holm's correction over all comparisons made together.
        test: the test.
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

    Under the null hypothesis a pair's two values are exchangeable, so that every difference is as
    likely to have the other sign. For rates this is McNemar's exact test.

    Args:
        measure: what the values are.
        pairs: (A, B) on the same seed.
        seed: of sampled signs, and of the interval.
    """
    a, b = (np.array([pair[i] for pair in pairs], dtype=np.float64) for i in (0, 1))
    d = b - a
    n = len(d)
    p, test = sign_flip(d, seed)
    spread = float(d.std(ddof=1)) if n > 1 else nan
    return Comparison(
        measure=measure,
        difference=mean_interval(d.tolist(), seed=seed),
        first=float(a.mean()) if n else nan,
        second=float(b.mean()) if n else nan,
        effect=float(d.mean()) / spread if spread > 0 else nan,
        more=int((d > 0).sum()),
        fewer=int((d < 0).sum()),
        p=p,
        adjusted=p,
        test=test,
    )


def sign_flip(differences: Floats, seed: int = 0) -> tuple[float, str]:
    """Two-sided p of a mean difference of zero, and the test's name.

    Exact while the differences that are not zero number at most `EXACT_PAIRS`; exact, too, if they
    are all of one size (a binomial); else sampled: (hits + 1) / (samples + 1).
    """
    d = differences[differences != 0]
    n = len(d)
    if not len(differences):
        return nan, "no pairs"
    if not n:
        return 1.0, "sign-flip, exact"
    observed = abs(float(d.sum())) - 1e-9 * float(np.abs(d).sum())
    if np.ptp(np.abs(d)) == 0:
        least = min(int((d > 0).sum()), int((d < 0).sum()))
        tail = sum(comb(n, k) for k in range(least + 1)) / 2**n
        return min(1.0, 2 * tail), "sign-flip, exact"
    if n <= EXACT_PAIRS:
        signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return float((np.abs(signs @ d) >= observed).mean()), "sign-flip, exact"
    rng = np.random.Generator(np.random.Philox(seed))
    hits = sum(
        int((np.abs((1 - 2 * rng.integers(2, size=(m, n))) @ d) >= observed).sum())
        for m in _chunks(RESAMPLES, n)
    )
    return (hits + 1) / (RESAMPLES + 1), f"sign-flip, {RESAMPLES} samples"


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979): controls the chance of any false finding.

    p̃₍ᵢ₎ = max over j ≤ i of min(1, (m − j + 1) · p₍ⱼ₎); NaN stays and is not counted.
    """
    known = [i for i, p in enumerate(p_values) if p == p]  # noqa: PLR0124 - NaN differs from itself
    adjusted, floor = list(p_values), 0.0
    for rank, i in enumerate(sorted(known, key=lambda i: p_values[i])):
        floor = max(floor, min(1.0, (len(known) - rank) * p_values[i]))
        adjusted[i] = floor
    return adjusted


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Comparisons that were made together, with adjusted p."""
    adjusted = holm([c.p for c in comparisons])
    return [replace(c, adjusted=p) for c, p in zip(comparisons, adjusted, strict=True)]


def pair_up(
    first: Mapping[object, float | None], second: Mapping[object, float | None]
) -> list[tuple[float, float]]:
    """The values of those keys that both have, in the first's order; None is no value."""
    both = [(x, second.get(key)) for key, x in first.items()]
    return [(x, y) for x, y in both if x is not None and y is not None]


def _bca(x: Floats, means: Floats, mean: float, level: float) -> Floats:
    """The quantiles of the bootstrap means at which the interval ends."""
    below = (float((means < mean).mean()) + float((means <= mean).mean())) / 2
    bias = ndtri(below)
    n = len(x)
    left_out = (x.sum() - x) / (n - 1)  # jackknife
    gaps = left_out.mean() - left_out
    acceleration = (gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5)
    z = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    return np.asarray(ndtr(bias + z / (1 - acceleration * z)), dtype=np.float64)


def _chunks(total: int, n: int, cells: int = 2_000_000) -> list[int]:
    """Sample counts that keep a table of samples × n within some 16 MB."""
    size = max(1, cells // max(1, n))
    return [min(size, total - done) for done in range(0, total, size)]
