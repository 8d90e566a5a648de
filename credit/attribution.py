"""Shapley-Coop's long-term reasoning in code: from outcome to marginal contributions to values."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial

from shapley_coop.credit.characteristic import Attribution, Characteristic
from shapley_coop.credit.coalitions import MAX_NUCLEOLUS
from shapley_coop.credit.norms import FEW, by_few_worths, norm
from shapley_coop.credit.values.shapley import marginal_contributions

MAX_ENUMERATED = 16
"""The largest number of agents for which a norm evaluates all 2ⁿ coalitions."""

SAMPLED = ("shapley", "banzhaf", "banzhaf_normalised")
"""The norms that can be estimated for any number of agents."""

BY_CLASS = (*SAMPLED, *FEW)
"""The norms that can be computed from class counts, if classes of symmetric agents are known."""


def attribute_by(of: Characteristic, by: str = "shapley") -> Attribution:
    """Return each agent's value by a norm.

    Values are exact if all coalitions can be evaluated, which needs at most MAX_ENUMERATED agents.
    For more agents, norms in FEW and games with known `parts` or `classes` still give exact values.
    Other Shapley and Banzhaf values are sampled, each with a standard error.

    Raises:
        ValueError: the norm is unknown, or needs all 2ⁿ coalitions of too many agents.

    Cost in evaluations of v: 2ⁿ for all coalitions, MOST_PER_AGENT · n if sampled, about n for FEW.
    """
    rule, n = norm(by), len(of.agents)
    if of.parts is not None and by != "deegan_packel":
        return _of_parts(of, of.parts, by)
    if of.classes is not None and by in BY_CLASS and n > MAX_ENUMERATED:
        from shapley_coop.credit.values.classes import attribute_by_classes

        return attribute_by_classes(of, by)
    if n <= min(of.exact_agents, MAX_ENUMERATED) or (
        n <= MAX_ENUMERATED and by not in (*SAMPLED, *FEW)
    ):
        table = of.worths()
        marginal = [Fraction(x) for x in marginal_contributions(table)]
        return of.attribution(by, of.exactly, Fraction(table[-1]), marginal, rule(table))
    if by in SAMPLED:
        from shapley_coop.credit.values.sampled import attribute_by_sampling

        return attribute_by_sampling(of, by)
    return _by_few_coalitions(of, by)


def can_settle(by: str, n: int) -> bool:
    """Return whether a norm can be computed for every record of n agents."""
    if by == "nucleolus":
        return n <= MAX_NUCLEOLUS
    return by != "deegan_packel" and (n <= MAX_ENUMERATED or by in SAMPLED or by in FEW)


def payoffs_by_norm(of: Characteristic) -> Callable[[str, Fraction], dict[str, Fraction]]:
    """Return a function from a norm's name and a total to payoffs; each norm is computed once."""
    found = cache(partial(attribute_by, of))
    return lambda name, total: found(name).payoffs(total)


def _of_parts(of: Characteristic, parts: Sequence[Fraction], by: str) -> Attribution:
    """Return each agent's value in an additive game: its own contribution, or an equal share."""
    total = sum(parts, Fraction(0))
    values = [total / len(parts)] * len(parts) if by == "equal" else list(parts)
    return of.attribution(by, "exact (additive)", total, parts, values)


def _by_few_coalitions(of: Characteristic, by: str) -> Attribution:
    """Return values by a norm that needs only v(∅), v(N), each v({i}) and each v(N∖{i})."""
    agents, worth, everyone = of.agents, of.worth, frozenset(of.agents)
    if by not in FEW:
        raise ValueError(
            f"the norm {by} needs all 2**{len(agents)} coalitions of {len(agents)} agents: "
            f"choose {', '.join((*SAMPLED, *FEW))}"
        )
    total, nothing = worth(everyone), worth(frozenset())
    marginal = [total - worth(everyone - {agent}) for agent in agents]

    def stand_alone() -> list[Fraction]:
        return [worth(frozenset({agent})) - nothing for agent in agents]

    values = by_few_worths(by, total - nothing, marginal, stand_alone)
    return of.attribution(by, of.exactly, total, marginal, values)
