"""The estimator of the Shapley value: two samplers, one stopping rule, standard errors.

A sampler draws independent *observations*: vectors of n numbers whose expectation is the Shapley
value. All samplers use common random numbers: one draw serves all agents. The worth of a coalition
must be the same at every call, so every replay uses the same seed. The standard errors come from
the spread of the observations.

antithetic  a random order and its reverse (Mitchell et al. 2022): exact if agents interact only in
            pairs, and the cheapest sampler on smooth games.
cyclic      all n rotations of a random order, forwards and backwards, so that every agent takes
            every position: a quarter of the evaluations or less on threshold games.

No sampler is best on all games: "auto" tries both and continues with the better one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from shapley_coop.credit.coalitions import BatchWorth, Coalitions, Floats

PILOT_PAIRS = 32
"""The number of antithetic pairs in a pilot, before the first check of the target."""

LEAST_OBSERVATIONS = 8
"""The smallest number of observations before a stop, since fewer give a poor standard error."""

BATCH_ROWS = 1 << 14
"""The approximate number of coalitions in one call of the worth function."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated Shapley values and their standard errors."""

    values: Floats  # one for each agent, in the unit of the worths
    standard_error: Floats  # one for each agent, in the same unit
    evaluations: int  # number of coalitions evaluated, pilots included
    method: str  # the sampler of the values
    observations: int  # number of independent observations; the values are their mean
    reached: bool | None  # whether all errors are within the target; None without a target


def sample_shapley(
    n: int,
    worth: BatchWorth,
    method: str = "auto",
    *,
    target_error: float | None = None,
    budget: int = 100_000,
    seed: int = 0,
) -> Estimate:
    """Estimate the Shapley value of n agents from the worths of sampled coalitions.

    Args:
        n: the number of agents.
        worth: v of many coalitions at once; a fixed function of the coalition.
        method: "antithetic", "cyclic", or "auto".
        target_error: stop once all standard errors are at most this; None spends the budget.
        budget: the largest number of evaluations; `SAMPLERS` has the cost of one observation.
        seed: the generator's seed; equal seeds give equal coalitions within a method.

    Returns:
        Values with standard errors: the observations' standard deviation divided by the square root
        of their number. If an agent's observations never vary, its error is the largest deviation
        of any agent, divided by the number of observations. The values sum to the total.

    Raises:
        ValueError: an argument is out of range, or worths have a wrong shape or are not finite.
    """
    if method not in ("auto", *SAMPLERS):
        raise ValueError(f"{method!r} is not a sampler: choose auto, {', '.join(SAMPLERS)}")
    if n < 1 or (target_error is not None and not target_error > 0):
        raise ValueError(f"n = {n}, target_error = {target_error}: both must be above 0")
    game = _Game(n, worth, budget)
    if n == 1:
        alone = np.array([game.everyone - game.nobody])
        return Estimate(alone, np.zeros(1), 2, "exact", 1, None if target_error is None else True)
    rng = np.random.default_rng(seed)
    run = _better_run(game, rng, target_error) if method == "auto" else _Run(method, game, rng)
    run.until(target_error)
    return run.estimate(target_error)


class _Game:
    """The worth function with its budget and a count of evaluations."""

    def __init__(self, n: int, worth: BatchWorth, budget: int) -> None:
        self.n, self.budget, self.evaluations = n, budget, 0
        self._worth = worth
        if budget < 2:
            raise ValueError(f"a budget of {budget} evaluations: v(∅) and v(N) alone need 2")
        ends = self.worths(np.repeat([[False], [True]], n, axis=1))
        self.nobody, self.everyone = float(ends[0]), float(ends[1])

    @property
    def left(self) -> int:
        return self.budget - self.evaluations

    def worths(self, coalitions: Coalitions) -> Floats:
        """Return the worth of each coalition; the last axis of `coalitions` is the agent."""
        rows = coalitions.reshape(-1, self.n)
        self.evaluations += len(rows)
        values = np.asarray(self._worth(rows), dtype=np.float64)
        if values.shape != (len(rows),):
            raise ValueError(
                f"{len(rows)} coalitions got worths of shape {values.shape}: return one number "
                "for each"
            )
        if not np.isfinite(values).all():
            raise ValueError("a worth is not finite: every coalition needs a finite number")
        return values.reshape(coalitions.shape[:-1])

    def walk(self, ranks: NDArray[np.intp]) -> Floats:
        """Return for each row of ranks the n + 1 worths as agents arrive in order of rank."""
        arrived = ranks[:, None, :] < np.arange(1, self.n)[:, None]
        ends = np.ones((len(ranks), 1))
        return np.hstack([ends * self.nobody, self.worths(arrived), ends * self.everyone])


def _antithetic(game: _Game, rng: "np.random.Generator", count: int) -> Floats:
    ranks = _permutations(rng, (count, game.n))
    forth, back = (
        np.take_along_axis(np.diff(game.walk(order)), order, axis=1)
        for order in (ranks, game.n - 1 - ranks)
    )
    return np.asarray((forth + back) / 2)


def _cyclic(game: _Game, rng: "np.random.Generator", count: int) -> Floats:
    """Draw observations from arcs of a random circle; an arc's worth serves both its neighbours.

    `walks[k, s, m]` is the worth of the m agents that follow place s of circle k.
    """
    n = game.n
    circle = _permutations(rng, (count, n))
    ranks = (circle[:, None, :] - np.arange(n)[:, None]) % n
    walks = game.walk(ranks.reshape(-1, n)).reshape(count, n, n + 1)
    joining_last = np.take_along_axis(np.diff(walks), ranks, axis=2).mean(axis=1)
    joining_first = (walks[:, :, 1:] - np.roll(walks[:, :, :-1], -1, axis=1)).mean(axis=2)
    return np.asarray((joining_last + np.take_along_axis(joining_first, circle, axis=1)) / 2)


def _permutations(rng: "np.random.Generator", shape: tuple[int, ...]) -> NDArray[np.intp]:
    """Return independent permutations of 0, …, shape[-1] − 1 along the last axis."""
    return rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)


# The type is quoted because naming numpy's generators would load a module that few calls need.
Sampler = Callable[[_Game, "np.random.Generator", int], Floats]
"""A function (game, generator, count) → `count` rows; each has one observation per agent."""

SAMPLERS: dict[str, tuple[Sampler, Callable[[int], int]]] = {
    "antithetic": (_antithetic, lambda n: 2 * (n - 1)),
    "cyclic": (_cyclic, lambda n: n * (n - 1)),
}
"""Name → the sampler, and the function from n to its number of evaluations per observation."""


class _Run:
    """The observations of one sampler so far."""

    def __init__(self, method: str, game: _Game, rng: "np.random.Generator") -> None:
        self.method, self._game, self._rng = method, game, rng
        self._sampler, cost = SAMPLERS[method]
        self.cost = cost(game.n)
        self.pilot = max(2, PILOT_PAIRS * 2 * (game.n - 1) // self.cost)
        self._drawn = np.empty((0, game.n))

    @property
    def count(self) -> int:
        return len(self._drawn)

    def draw(self, count: int) -> None:
        """Draw `count` more observations, or as many as the budget allows."""
        count = min(count, self._game.left // self.cost)
        at_once = max(1, BATCH_ROWS // self.cost)
        parts = [
            self._sampler(self._game, self._rng, min(at_once, count - done))
            for done in range(0, count, at_once)
        ]
        self._drawn = np.concatenate([self._drawn, *parts])
        if self.count < 2:
            raise ValueError(
                f"a budget of {self._game.budget} evaluations is too small: two {self.method} "
                f"observations of {self._game.n} agents, the fewest that give an error, need "
                f"{2 * self.cost + 2}"
            )

    def until(self, target: float | None) -> None:
        """Draw observations until all errors are within the target or the budget is spent.

        Each round draws the number that the current errors call for, and at most doubles the count.
        A check after every observation would favour stopping at errors that are small by chance.
        """
        self.draw(max(0, LEAST_OBSERVATIONS - self.count, self.pilot - self.count))
        while self._game.left >= self.cost and (target is None or self.errors().max() > target):
            self.draw(min(self.missing(target), self.count))

    def missing(self, target: float | None) -> int:
        """Return an estimate of how many more observations the target needs, at least one."""
        if target is None:
            return self._game.left // self.cost
        excess = min(float(self.errors().max()) / target, 1e6)
        return max(1, ceil(self.count * (excess**2 - 1)))

    def estimate(self, target: float | None) -> Estimate:
        """Return the estimate from the observations so far."""
        errors = self.errors()
        reached = None if target is None else bool(errors.max() <= target)
        return Estimate(
            self.mean(), errors, self._game.evaluations, self.method, self.count, reached
        )

    def mean(self) -> Floats:
        return np.asarray(self._drawn.mean(axis=0))

    def variance(self) -> Floats:
        """Return for each agent the variance of a single observation."""
        return np.asarray(self._drawn.var(axis=0, ddof=1))

    def errors(self) -> Floats:
        return standard_errors(self._drawn)


def standard_errors(drawn: Floats, least: float = 0.0) -> Floats:
    """Return the standard errors of the means of k observations, shape (k, n) to (n,).

    If an agent's observations never vary, its error is the largest deviation of any agent, and not
    below `least`, divided by k.
    """
    farthest = max(least, float(np.abs(drawn - drawn.mean(axis=0)).max()))
    seen = np.sqrt(drawn.var(axis=0, ddof=1) / len(drawn))
    return np.where(seen <= 1e-12 * farthest, farthest / len(drawn), seen)


def _better_run(game: _Game, rng: "np.random.Generator", target: float | None) -> _Run:
    """Return the antithetic or the cyclic run: the one with the smaller variance per evaluation.

    The cyclic pilot is skipped if it costs more than the rest of the antithetic run, or more than
    half of the remaining budget. The returned run includes the observations of its pilot.
    """
    pairs, cycles = _Run("antithetic", game, rng), _Run("cyclic", game, rng)
    pairs.draw(pairs.pilot)
    if cycles.pilot * cycles.cost > min(pairs.missing(target) * pairs.cost, game.left // 2):
        return pairs
    cycles.draw(cycles.pilot)
    return min(pairs, cycles, key=lambda run: float(run.variance().mean()) * run.cost)
