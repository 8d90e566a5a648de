"""The Banzhaf value: each agent's mean marginal contribution over all coalitions of the others."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from numpy.typing import NDArray

from shapley_coop.amounts import normalise
from shapley_coop.credit.characteristic import Attribution, Characteristic, by_agent
from shapley_coop.credit.coalitions import Table, agents_in
from shapley_coop.credit.norms import by_semivalue, surplus
from shapley_coop.credit.values.classes import gains_by_size, semivalue_by_classes
from shapley_coop.credit.values.sampled import attribute_by_sampling
from shapley_coop.extensions.values.banzhaf_sampling import sample_banzhaf


def banzhaf(table: Table) -> list[Fraction]:
    """Return each agent's mean marginal contribution; the values need not sum to v(N)."""
    n = agents_in(table)
    return by_semivalue(table, [Fraction(1, 1 << (n - 1))] * n)


def banzhaf_normalised(table: Table) -> list[Fraction]:
    """Return Banzhaf values adjusted by `normalise` to sum to v(N) − v(∅)."""
    return normalise(surplus(table), banzhaf(table))


def of_many(of: Characteristic, by: str) -> Attribution:
    """Return Banzhaf values: exact if the classes of symmetric agents are known, else sampled."""
    scaled = by == banzhaf_normalised.__name__
    if of.counts_classes:
        found = semivalue_by_classes(of, by, banzhaf_by_class)
    else:
        found = attribute_by_sampling(of, by, partial(sample_banzhaf, scaled=scaled))
    if not scaled:
        return found
    parts = normalise(found.total, list(found.values.values()))
    return replace(found, values=by_agent(of.agents, parts))


def banzhaf_by_class(worths: NDArray[Any], c: int) -> Fraction:
    """Return the exact Banzhaf value of a member of class c."""
    by_size = gains_by_size(worths, c)
    return Fraction(sum(by_size), 1 << (len(by_size) - 1))
