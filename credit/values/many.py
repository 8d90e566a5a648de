"""The values of games with too many agents to evaluate all coalitions."""

from fractions import Fraction

from shapley_coop.credit.characteristic import Attribution, Characteristic
from shapley_coop.credit.norms import by_few_worths
from shapley_coop.credit.values.classes import (
    few_by_classes,
    semivalue_by_classes,
    shapley_by_class,
)
from shapley_coop.credit.values.sampled import attribute_by_sampling
from shapley_coop.credit.values.sampling import sample_shapley


def shapley_of_many(of: Characteristic, by: str) -> Attribution:
    """Return Shapley values: exact by class counts where classes are known, otherwise sampled."""
    if of.counts_classes:
        return semivalue_by_classes(of, by, shapley_by_class)
    return attribute_by_sampling(of, by, sample_shapley)


def few_of_many(of: Characteristic, by: str) -> Attribution:
    """Return values by a norm that needs only v(∅), v(N), each v({i}) and each v(N∖{i})."""
    if of.counts_classes:
        return few_by_classes(of, by)
    agents, worth, everyone = of.agents, of.worth, frozenset(of.agents)
    total, nothing = worth(everyone), worth(frozenset())
    marginal = [total - worth(everyone - {agent}) for agent in agents]

    def stand_alone() -> list[Fraction]:
        return [worth(frozenset({agent})) - nothing for agent in agents]

    values = by_few_worths(by, total - nothing, marginal, stand_alone)
    return of.attribution(by, of.exactly, total, marginal, values)
