"""The long-term steps, computed by code: outcome, marginal contributions, values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import compress

import numpy as np

from shapley_coop.amounts import MICRO, from_micro, payoffs_under_norm
from shapley_coop.credit.coalitions import Floats, worth_table
from shapley_coop.credit.norms import EXACT_AGENTS, norm
from shapley_coop.credit.values.sampling import BatchWorth, Coalitions, sample_shapley
from shapley_coop.credit.values.shapley import marginal_contributions

EVALUATIONS_PER_AGENT = 400
"""The sampler's budget: coalitions replayed for each agent beyond the exact sizes."""

MAX_ENUMERATED = 16
"""The most agents of whom other norms look at all 2ⁿ coalitions."""

Worth = Callable[[frozenset[str]], Fraction]


@dataclass(frozen=True)
class Attribution:
    """Each agent's credit for a record (Shapley-Coop, Eqs. 7-9).

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
    """Compute each agent's value from the characteristic function.

    Exact up to EXACT_AGENTS agents. Beyond, Shapley values are sampled with a standard error each.
    Norms that need a few coalitions only are exact for any number of agents.

    Args:
        agents: the players, in order.
        worth: v, from a coalition to its worth in the game's unit.
        by: a norm's name.
        batch: v for many coalitions at once, shape (m, n) → (m,); without it `worth` is asked for
            each of them.

    Raises:
        ValueError: there is no such norm, or it needs all 2ⁿ coalitions of too many agents.

    Cost: 2ⁿ evaluations of v, or EVALUATIONS_PER_AGENT · n, or about n.
    """
    n = len(agents)
    if by == "shapley" and n > EXACT_AGENTS:
        return _sampled(agents, batch or partial(_one_by_one, agents, worth))
    if n > MAX_ENUMERATED:
        return _by_few_coalitions(agents, worth, by)
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
    """From a norm's name and a total to every agent's payoff.

    A norm's values are computed when they are first asked for, and once.
    """
    found = cache(lambda name: attribute(agents, worth, name, batch))
    return lambda name, total: found(name).payoffs(total)


def _sampled(agents: Sequence[str], batch: BatchWorth) -> Attribution:
    n = len(agents)
    found = sample_shapley(n, batch, budget=EVALUATIONS_PER_AGENT * n)
    worths = [_millionths(x) for x in batch(~np.eye(n + 1, n, dtype=bool))]
    return Attribution(
        norm="shapley",
        method=f"sampled ({found.method}, {found.evaluations} coalitions)",
        total=worths[-1],
        marginal=_named(agents, [worths[-1] - x for x in worths[:-1]]),
        values=_named(agents, [_millionths(x) for x in found.values]),
        standard_error={a: float(x) for a, x in zip(agents, found.standard_error, strict=True)},
    )


def _by_few_coalitions(agents: Sequence[str], worth: Worth, by: str) -> Attribution:
    """What needs only v(∅), v(N), each v({i}) and each v(N∖{i})."""
    everyone = frozenset(agents)
    total, nothing = worth(everyone), worth(frozenset())
    marginal = [total - worth(everyone - {agent}) for agent in agents]
    match by:
        case "equal":
            values = [(total - nothing) / len(agents)] * len(agents)
        case "leave_one_out":
            values = marginal
        case "proportional":
            alone = [worth(frozenset({agent})) - nothing for agent in agents]
            values = payoffs_under_norm(total - nothing, alone)
        case _:
            norm(by)
            raise ValueError(
                f"the norm {by} needs all 2**{len(agents)} coalitions of {len(agents)} agents: "
                "choose shapley, equal, proportional or leave_one_out"
            )
    return Attribution(by, "exact", total, _named(agents, marginal), _named(agents, values))


def _one_by_one(agents: Sequence[str], worth: Worth, coalitions: Coalitions) -> Floats:
    """The worths of many coalitions, where they cannot be replayed together."""
    return np.array([float(worth(frozenset(compress(agents, row)))) for row in coalitions])


def _millionths(x: float) -> Fraction:
    return from_micro(round(float(x) * MICRO))


def _named(agents: Sequence[str], values: Sequence[Fraction]) -> dict[str, Fraction]:
    return dict(zip(agents, values, strict=True))
