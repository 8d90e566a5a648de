"""A bounty divided by earned value, in amounts that can be paid."""

from collections.abc import Mapping
from fractions import Fraction

from shapley_coop.amounts import apportion
from shapley_coop.games.game import GameError, Number


def divided(amount: Fraction, by: Mapping[str, Fraction], decimals: int) -> dict[str, Number]:
    """An amount divided by parts of one whole, to so many decimals, summing exactly to it.

    Largest remainder; ties go to the agent that is named first.

    Raises:
        GameError: the amount itself has more decimals.
    """
    unit = 10**decimals
    if (amount * unit).denominator != 1:
        raise GameError(
            f"{float(amount)} has more than {decimals} decimals: round it, or allow more"
        )
    units = apportion(int(amount * unit), list(by.values())) if by else []
    shares = (Fraction(n, unit) for n in units)
    return {a: int(x) if x.denominator == 1 else float(x) for a, x in zip(by, shares, strict=True)}
