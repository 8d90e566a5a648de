"""Money in whole millionths of the game's unit, so that splits sum exactly."""

from collections.abc import Sequence
from fractions import Fraction
from math import floor

from credit.exact import Number, exact

MICRO = 1_000_000
"""Micro-units in one of the game's unit."""


def to_micro(amount: Number | str) -> int:
    """An amount in whole micro-units: the nearest, ties to the even one.

    Args:
        amount: in the game's unit; 4.5, "4.5" and "9/2" are the same.

    Raises:
        ValueError: the amount is not a finite number.
    """
    return round(exact(amount, "the amount") * MICRO)


def from_micro(micro: int) -> Fraction:
    """The amount in the game's unit, exactly."""
    return Fraction(micro, MICRO)


def apportion(total: int, weights: Sequence[Number]) -> list[int]:
    """Whole numbers in proportion to the weights, summing exactly to the total.

    Largest remainder (Hamilton 1792): everyone gets its quota total · wᵢ / Σw rounded down, and
    what is left goes to the largest fractions lost, ties to the lower index. A debt is divided as
    its opposite would be: apportion(−t, w) = −apportion(t, w). A negative weight has a negative
    quota, as long as the weights sum to more than 0.

    Raises:
        ValueError: the weights do not sum to more than 0.
    """
    fractions = [exact(weight, "a weight") for weight in weights]
    whole = sum(fractions, Fraction(0))
    if whole <= 0:
        raise ValueError(f"weights that sum to {whole}: proportions need a sum above 0")
    parts = _largest_remainder([abs(total) * weight / whole for weight in fractions], abs(total))
    return parts if total >= 0 else [-part for part in parts]


def round_payoffs(payoffs: Sequence[Fraction], total_micro: int) -> list[int]:
    """Payoffs in whole micro-units, each within one of its exact amount, summing to the total.

    Args:
        payoffs: in the game's unit, of either sign.
        total_micro: what they sum to, in micro-units, rounded.

    Raises:
        ValueError: the payoffs do not sum to the total.
    """
    quotas = [exact(payoff, "a payoff") * MICRO for payoff in payoffs]
    whole = sum(quotas, Fraction(0))
    if abs(whole - total_micro) >= 1:
        raise ValueError(
            f"payoffs that sum to {float(whole / MICRO)}: the total is "
            f"{float(from_micro(total_micro))}, and they must divide exactly that"
        )
    return _largest_remainder(quotas, total_micro)


def _largest_remainder(quotas: Sequence[Fraction], total: int) -> list[int]:
    """Quotas rounded to sum to a total that is less than 1 from their own sum."""
    parts = [floor(quota) for quota in quotas]
    by_fraction_lost = sorted(range(len(quotas)), key=lambda i: parts[i] - quotas[i])
    for i in by_fraction_lost[: total - sum(parts)]:
        parts[i] += 1
    return parts
