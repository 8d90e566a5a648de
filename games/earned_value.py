"""Weighted Earned Value as a division: what part of a bounty each agent's artefacts earned.

    part_i = Σ_k (θ_{i,k} / Σ_j θ_{j,k}) · w_k / Σ_k w_k        (Shapley-Coop, appendix B.2)

θ_{i,k} counts the artefacts of kind k that agent i made, w_k is the middle of the interval that
the kind is worth, and kinds of which nothing was made are left out. The value is additive:
a coalition is worth the sum of its members' parts, which are then their Shapley values.
"""

from collections.abc import Mapping
from fractions import Fraction

from shapley_coop.amounts import apportion, exact
from shapley_coop.games.game import GameError, Number

Weights = dict[str, tuple[Number, Number]]
"""Kind of artefact → lowest and highest share of the whole, in percent."""

WEIGHTS: Weights = {
    "code": (27, 40),
    "decisions": (15, 35),
    "documents": (5, 15),
    "fixes": (15, 25),
}
"""The weights that reproduce the paper's table."""


def parts(artefacts: Mapping[str, Mapping[str, Fraction]], weights: Weights) -> dict[str, Fraction]:
    """Each agent's part of one whole; even parts where nothing that weighs was made.

    Args:
        artefacts: agent → kind → count.
        weights: by kind; the kinds of `artefacts` are among them.
    """
    middle = {kind: (exact(low) + exact(high)) / 2 for kind, (low, high) in weights.items()}
    made = {
        kind: sum((counts.get(kind, Fraction(0)) for counts in artefacts.values()), Fraction(0))
        for kind in weights
    }
    whole = sum((middle[kind] for kind in weights if made[kind]), Fraction(0))
    if not whole:
        return {agent: Fraction(1, len(artefacts)) for agent in artefacts}
    return {
        agent: sum(
            (counts.get(k, Fraction(0)) / made[k] * middle[k] for k in weights if made[k]),
            Fraction(0),
        )
        / whole
        for agent, counts in artefacts.items()
    }


def divided(amount: Fraction, by: Mapping[str, Fraction], decimals: int) -> dict[str, Number]:
    """An amount divided by parts of one whole, to so many decimals, summing exactly to it.

    Largest remainder; ties go to whoever is named first.

    Raises:
        GameError: the amount itself has more decimals.
    """
    unit = 10**decimals
    if (amount * unit).denominator != 1:
        raise GameError(
            f"{float(amount)} has more than {decimals} decimals: round it, or allow more"
        )
    units = apportion(int(amount * unit), list(by.values())) if by else []
    return {agent: plain_number(Fraction(n, unit)) for agent, n in zip(by, units, strict=True)}


def plain_number(amount: Fraction) -> Number:
    """A decimal as JSON has it."""
    return int(amount) if amount.denominator == 1 else float(amount)
