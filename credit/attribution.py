"""Shapley-Coop's long-term reasoning in code: from outcome to marginal contributions to values."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import cast

from shapley_coop.credit.characteristic import MAX_ENUMERATED, Attribution, Characteristic
from shapley_coop.credit.norms import find_norm, norm, norms
from shapley_coop.credit.values.shapley import marginal_contributions
from shapley_coop.extension import import_place


def attribute_by(of: Characteristic, by: str = "shapley") -> Attribution:
    """Return each agent's value under a norm.

    Values are exact if all coalitions can be evaluated, which needs at most MAX_ENUMERATED agents.
    For more agents, games with known `parts` or `classes`, and norms that need the worths of few
    coalitions, still give exact values. Other values are sampled, each with a standard error.

    Raises:
        ValueError: the norm is unknown, or needs all 2ⁿ coalitions of too many agents.

    Cost in evaluations of v: 2ⁿ for all coalitions, MOST_PER_AGENT · n if sampled.
    """
    rule, known, n = norm(by), find_norm(by), len(of.agents)
    if of.parts is not None and can_settle(by, 1):
        return _of_parts(of, of.parts, by)
    if n <= min(of.exact_agents, MAX_ENUMERATED) or (n <= MAX_ENUMERATED and not known.of_many):
        table = of.worths()
        marginal = [Fraction(x) for x in marginal_contributions(table)]
        return of.attribution(by, of.exactly, Fraction(table[-1]), marginal, rule(table))
    if not known.of_many:
        raise ValueError(
            f"the norm {by} needs all 2**{n} coalitions of {n} agents: "
            f"choose {', '.join(name for name, one in norms().items() if one.of_many)}"
        )
    return cast(Attribution, import_place(known.of_many)(of, by))


def can_settle(by: str, n: int) -> bool:
    """Return whether a norm can be computed for every record of n agents.

    Raises:
        NormMissing: no installed extension has the norm.
    """
    known = find_norm(by)
    return bool(known.of_many) or n <= min(known.most, MAX_ENUMERATED)


def payoffs_by_norm(of: Characteristic) -> Callable[[str, Fraction], dict[str, Fraction]]:
    """Return a function from a norm's name and a total to payoffs; each norm is computed once."""
    found = cache(partial(attribute_by, of))
    return lambda name, total: found(name).payoffs(total)


def _of_parts(of: Characteristic, parts: Sequence[Fraction], by: str) -> Attribution:
    """Return each agent's value in an additive game: its own contribution, or an equal share."""
    total = sum(parts, Fraction(0))
    values = [total / len(parts)] * len(parts) if by == "equal" else list(parts)
    return of.attribution(by, "exact (additive)", total, parts, values)
