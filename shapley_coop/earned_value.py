"""Weighted Earned Value: the part of a whole that each agent's artefacts earned.

    part_i = Σ_k (θ_{i,k} / Σ_j θ_{j,k}) · w_k / Σ_k w_k        (Shapley-Coop, appendix B.2)

θ_{i,k} counts the artefacts of kind k that agent i made; w_k is the share of the whole that belongs
to all artefacts of kind k. The paper gives each w_k as an interval; `parts` uses the middle of the
interval. A kind of artefact that no agent made is left out. A coalition's worth is the sum of its
members' parts, so each agent's part is its Shapley value.
>>> made = {"Ann": {"code": Fraction(3)}, "Ben": {"code": Fraction(1), "fixes": Fraction(2)}}
>>> [f"{low} to {high}" for low, high in earned_intervals(made, WEIGHTS).values()]
['81/4 to 30', '87/4 to 35']
>>> {agent: str(part) for agent, part in parts(made, WEIGHTS).items()}
{'Ann': '201/428', 'Ben': '227/428'}
"""

from collections.abc import Mapping
from fractions import Fraction

from shapley_coop.amounts import Number, exact

Weights = dict[str, tuple[Number, Number]]
"""Kind of artefact → lowest and highest share of the whole, in percent."""

Intervals = Mapping[str, tuple[Number, Number]]
"""The read-only form of `Weights`."""

WEIGHTS: Weights = {
    "code": (27, 40),  # effective lines of code
    "decisions": (15, 35),  # approved decisions
    "documents": (5, 15),  # validated documents
    "fixes": (15, 25),  # verified fixes
}
"""The weights that reproduce the paper's table; the paper cites COCOMO II, COCOMO and CSBSG."""


def earned_intervals(
    artefacts: Mapping[str, Mapping[str, Fraction]],
    weights: Intervals,
) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the lowest and the highest percentage of the whole that each agent can have earned.

    Args:
        artefacts: agent → kind → count, 0 or more; missing kinds count 0.
        weights: kind → the interval of its weight.
    """
    earned = {agent: (Fraction(0), Fraction(0)) for agent in artefacts}
    for kind, (least, most) in weights.items():
        counts = {agent: made.get(kind, Fraction(0)) for agent, made in artefacts.items()}
        if whole := sum(counts.values(), Fraction(0)):
            for agent, count in counts.items():
                low, high = earned[agent]
                part = count / whole
                earned[agent] = low + part * exact(least), high + part * exact(most)
    return earned


def parts(
    artefacts: Mapping[str, Mapping[str, Fraction]],
    weights: Intervals,
) -> dict[str, Fraction]:
    """Return each agent's part of a whole of 1; all parts are equal if no artefact has a weight."""
    middles = {a: low + high for a, (low, high) in earned_intervals(artefacts, weights).items()}
    whole = sum(middles.values(), Fraction(0))
    if not whole:
        return {agent: Fraction(1, len(artefacts)) for agent in artefacts}
    return {agent: middle / whole for agent, middle in middles.items()}


def part_intervals(
    artefacts: Mapping[str, Mapping[str, Fraction]],
    weights: Intervals,
) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the least and the greatest part of a whole of 1 that each agent can have.

    Each weight may lie anywhere in its interval. An agent's part is the mean of its shares of the
    kinds, weighted by the kinds' weights. The mean is greatest if every kind whose share exceeds
    some threshold has its highest weight, and every other kind has its lowest weight.

    >>> made = {"Ann": {"code": Fraction(3)}, "Ben": {"code": Fraction(1), "fixes": Fraction(2)}}
    >>> [f"{least} to {most}" for least, most in part_intervals(made, WEIGHTS).values()]
    ['81/208 to 6/11', '5/11 to 127/208']
    """
    wholes = {
        kind: sum((made.get(kind, Fraction(0)) for made in artefacts.values()), Fraction(0))
        for kind in weights
    }
    there = {kind: tuple(map(exact, weights[kind])) for kind, whole in wholes.items() if whole}
    if not sum(sum(ends) for ends in there.values()):
        return {agent: (Fraction(1, len(artefacts)),) * 2 for agent in artefacts}
    found = {}
    for agent, made in artefacts.items():
        own = {kind: made.get(kind, Fraction(0)) / wholes[kind] for kind in there}
        ranked = sorted(there, key=lambda kind: own[kind])
        weighed = [
            {kind: there[kind][up == (n >= cut)] for n, kind in enumerate(ranked)}
            for cut in range(len(ranked) + 1)
            for up in (True, False)
        ]
        means = [
            sum((own[kind] * by[kind] for kind in by), Fraction(0)) / whole
            for by in weighed
            if (whole := sum(by.values(), Fraction(0)))
        ]
        found[agent] = (min(means), max(means))
    return found
