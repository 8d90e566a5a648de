"""The long-term steps, computed by code: outcome, marginal contributions, values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shapley_coop.credit.coalitions import worth_table
from shapley_coop.credit.norms import EXACT_AGENTS, norm, payoffs_under_norm
from shapley_coop.credit.values.sampling import BatchWorth, sample_shapley
from shapley_coop.credit.values.shapley import marginal_contributions

EVALUATIONS_PER_AGENT = 400
"""The sampler's budget: coalitions replayed for each agent beyond the exact sizes."""

Worth = Callable[[frozenset[str]], Fraction]


@dataclass(frozen=True)
class Attribution:
    """What a record says about each agent (Shapley-Coop, Eqs. 7-9).

    Attributes:
        norm: by which the values were computed.
        method: "exact", or the sampler.
        total: R(N, τ) = v(N), the collective outcome, in the game's unit.
        marginal: agent → v(N) − v(N∖{i}).
        values: agent → its value.
        standard_error: agent → the value's standard error; None when it is exact.
    """

    norm: str
    method: str
    total: Fraction
    marginal: dict[str, Fraction]
    values: dict[str, Fraction]
    standard_error: dict[str, float] | None = None

    def payoffs(self, total: Fraction) -> dict[str, Fraction]:
        """Every agent's payoff if `total` is split by the norm."""
        split = payoffs_under_norm(total, list(self.values.values()))
        return dict(zip(self.values, split, strict=True))


def attribute(
    agents: Sequence[str], worth: Worth, by: str = "shapley", batch: BatchWorth | None = None
) -> Attribution:
    """Compute everybody's value from the characteristic function.

    Exact up to EXACT_AGENTS agents. Beyond, Shapley values are sampled with a standard error each.

    Args:
        agents: the players, in order.
        worth: v, from a coalition to its worth in the game's unit.
        by: a norm's name.
        batch: v for many coalitions at once, shape (m, n) → (m,); needed to sample.

    Raises:
        ValueError: the norm cannot be had for so many agents.

    Cost: 2ⁿ evaluations of v, or EVALUATIONS_PER_AGENT · n.
    """
    if len(agents) > EXACT_AGENTS and by == "shapley" and batch is not None:
        return _sampled(agents, batch)
    table = worth_table(agents, worth)
    return Attribution(
        norm=by,
        method="exact",
        total=Fraction(table[-1]),
        marginal=_named(agents, [Fraction(x) for x in marginal_contributions(table)]),
        values=_named(agents, norm(by)(table)),
    )


def norm_payoffs_fn(
    agents: Sequence[str], worth: Worth, batch: BatchWorth | None = None
) -> Callable[[str, Fraction], dict[str, Fraction]]:
    """From a norm's name and a total to every agent's payoff, computed when it is asked for."""
    return lambda name, total: attribute(agents, worth, name, batch).payoffs(total)


def _sampled(agents: Sequence[str], batch: BatchWorth) -> Attribution:
    n = len(agents)
    found = sample_shapley(n, batch, budget=EVALUATIONS_PER_AGENT * n)
    grand = np.ones((n + 1, n), dtype=bool)
    grand[np.arange(n), np.arange(n)] = False
    worths = [_millionths(x) for x in batch(grand)]
    return Attribution(
        norm="shapley",
        method=f"sampled ({found.method}, {found.evaluations} coalitions)",
        total=worths[-1],
        marginal=_named(agents, [worths[-1] - x for x in worths[:-1]]),
        values=_named(agents, [_millionths(x) for x in found.values]),
        standard_error={a: float(x) for a, x in zip(agents, found.standard_error, strict=True)},
    )


def _millionths(x: float) -> Fraction:
    return Fraction(round(float(x) * 1_000_000), 1_000_000)


def _named(agents: Sequence[str], values: Sequence[Fraction]) -> dict[str, Fraction]:
    return dict(zip(agents, values, strict=True))
