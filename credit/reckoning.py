"""The long-term steps, computed by code: outcome, marginal contributions, values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from credit.coalitions import worth_table
from credit.norms import norm, payoffs_under_norm
from credit.shapley import marginal_contributions


@dataclass(frozen=True)
class Reckoning:
    """What a record says about each agent (Shapley-Coop, Eqs. 7-9).

    Attributes:
        norm: by which the values were computed.
        total: R(N, τ) = v(N), the collective outcome, in the game's unit.
        marginal: agent → v(N) − v(N∖{i}).
        values: agent → its value.
        standard_error: agent → the value's standard error; None when it is exact.
    """

    norm: str
    total: Fraction
    marginal: dict[str, Fraction]
    values: dict[str, Fraction]
    standard_error: dict[str, float] | None = None

    def payoffs(self, total: Fraction) -> dict[str, Fraction]:
        """Every agent's payoff if `total` is split by the norm."""
        split = payoffs_under_norm(total, list(self.values.values()))
        return dict(zip(self.values, split, strict=True))


def reckon(
    agents: Sequence[str], worth: Callable[[frozenset[str]], Fraction], by: str = "shapley"
) -> Reckoning:
    """Compute everybody's value from the characteristic function, exactly.

    Args:
        agents: the players, in order.
        worth: v, from a coalition to its worth in the game's unit.
        by: a norm's name.

    Cost: 2ⁿ evaluations of v.
    """
    table = worth_table(agents, worth)
    return Reckoning(
        norm=by,
        total=Fraction(table[-1]),
        marginal=_named(agents, marginal_contributions(table)),
        values=_named(agents, norm(by)(table)),
    )


def by_norm(
    agents: Sequence[str], worth: Callable[[frozenset[str]], Fraction]
) -> Callable[[str, Fraction], dict[str, Fraction]]:
    """From a norm's name and a total to every agent's payoff, computed when it is asked for."""
    return lambda name, total: reckon(agents, worth, name).payoffs(total)


def _named(agents: Sequence[str], values: Sequence[Fraction]) -> dict[str, Fraction]:
    return {agent: Fraction(value) for agent, value in zip(agents, values, strict=True)}
