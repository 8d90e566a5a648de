"""Amounts: exact fractions in computations, whole millionths in the ledger, decimals in texts.

This module alone reads, writes and rounds the numbers by which agents are paid.

>>> from shapley_coop.amounts import apportion, exact, plain, to_micro
>>> plain(exact(0.1) + exact("1/5"))
'0.3'
>>> to_micro("4.5")
4500000
>>> apportion(100, [1, 1, 1])
[34, 33, 33]
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import floor, isfinite
from numbers import Rational, Real
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

Number = int | float | Fraction
"""A worth, a value or an amount."""

OneNumber = TypeVar("OneNumber", int, float, Fraction, Number)
"""The type both of a function's arguments and of its result: fractions give fractions."""

MAX_EXPONENT = 400
"""The largest exponent that is read, so that "1e999999999" cannot fill the memory with zeros."""


def exact(number: Number | str, what: str = "the number") -> Fraction:
    """Return a number as the fraction that its text means: 0.1 is 1/10, "1/3" is 1/3.

    A float means the shortest decimal that prints it, not its binary expansion: shares of 0.1, 0.2
    and 0.7 then sum to 1.

    Args:
        number: an integer, float, fraction, or a string of a decimal or of a ratio.
        what: the name of the number in errors.

    Raises:
        ValueError: `number` is not a finite number.
    """
    if type(number) is Fraction:
        return number
    if type(number) is int or isinstance(number, Rational):
        return Fraction(number)
    if isinstance(number, str):
        try:
            return _fraction(number)
        except (ValueError, ArithmeticError):
            shown = number if len(number) <= 40 else number[:40] + "…"
        raise ValueError(f"{what} is {shown!r}: a finite number such as 4.5 or 9/2 is needed")
    if not isinstance(number, Real):
        raise ValueError(f"{what} is {number!r}: a number is needed")
    if not isfinite(number):
        raise ValueError(f"{what} is {number}: a finite number is needed")
    return _fraction(repr(float(number)))


@lru_cache(maxsize=4096)  # cached: every turn reads the same few numbers
def _fraction(text: str) -> Fraction:
    if "/" in text:
        over, under = text.split("/")
        return Fraction(int(over), int(under))
    decimal = Decimal(text)
    if not decimal.is_finite() or abs(decimal.adjusted()) > MAX_EXPONENT:
        raise ValueError(text)
    return Fraction(decimal)


MAX_AMOUNT = 10**9
MAX_DENOMINATOR = 10**9


def parse_exact(value: Any) -> Fraction:
    """Read 5.5, "5.5", "11/2" or "55%" without rounding.

    Raises:
        ValueError: the value is not a finite number, or has too large a size or denominator.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction | Decimal):
        raise ValueError("it is not a number: give 5.5, '11/2' or '55%'")
    text = str(value).strip()
    if len(text) > 40:
        raise ValueError("it has more than 40 characters: give a shorter number")
    percent = text.endswith("%")
    try:
        number = _fraction(text.removesuffix("%").strip())
    except (ValueError, ArithmeticError):
        raise ValueError(f"{text!r} is not a finite number: give 5.5, '11/2' or '55%'") from None
    number = number / 100 if percent else number
    if abs(number) > MAX_AMOUNT or number.denominator > MAX_DENOMINATOR:
        raise ValueError(f"{text} is out of range: give at most {MAX_AMOUNT}, to nine decimals")
    return number


def plain(number: Fraction) -> str:
    """Return a fraction as text: a finite decimal if there is one, else numerator/denominator."""
    if number.denominator == 1:
        return str(number.numerator)
    as_decimal = format(Decimal(number.numerator) / Decimal(number.denominator), "f")
    return as_decimal if Fraction(as_decimal) == number else str(number)


Exact = Annotated[
    Fraction,
    BeforeValidator(parse_exact),
    PlainSerializer(plain, return_type=str),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}]}),
]
"""The type of a pydantic field with an exact number, which is a string in JSON."""

MICRO = 1_000_000
"""The number of micro-units in one unit of the game."""


def to_micro(amount: Number | str) -> int:
    """Return an amount in whole micro-units; a half is rounded to the nearest even number.

    Args:
        amount: the amount in the game's unit; 4.5, "4.5" and "9/2" are the same.

    Raises:
        ValueError: the amount is not a finite number.
    """
    return round(exact(amount, "the amount") * MICRO)


def from_micro(micro: int) -> Fraction:
    """Return the exact amount in the game's unit."""
    return Fraction(micro, MICRO)


def normalise(total: Fraction, values: Sequence[Fraction]) -> list[Fraction]:
    """Return the values adjusted to sum to a total: φᵢ + (total − Σφ) · |φᵢ| / Σ|φ|.

    The missing amount is divided in proportion to the absolute values. Values that already sum to
    the total stay unchanged. Values of one sign become total · φᵢ / Σφ, the usual normalisation;
    values of mixed signs are not scaled. A value of 0 stays 0; if all are 0, the total is divided
    equally.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("there are no values: a norm divides among at least one agent")
    missing = total - sum(values, Fraction(0))
    if not missing:
        return list(values)
    weight = sum(map(abs, values), Fraction(0))
    if not weight:
        return [total / len(values)] * len(values)
    return [value + missing * abs(value) / weight for value in values]


def apportion(total: int, weights: Sequence[Number]) -> list[int]:
    """Return whole numbers that sum exactly to the total, in proportion to the weights.

    Method of largest remainders (Hamilton 1792): each index gets its quota total · wᵢ / Σw, rounded
    down. The units that are left go to the largest remainders; ties go to the lower index. For a
    negative total, apportion(−t, w) = −apportion(t, w). A negative weight has a negative quota.

    Raises:
        ValueError: the weights do not sum to more than 0.
    """
    fractions = [exact(weight, "a weight") for weight in weights]
    whole = sum(fractions, Fraction(0))
    if whole <= 0:
        raise ValueError(f"the weights sum to {whole}: proportions need a sum above 0")
    parts = _largest_remainder([abs(total) * weight / whole for weight in fractions], abs(total))
    return parts if total >= 0 else [-part for part in parts]


def round_payoffs(payoffs: Sequence[Fraction], total_micro: int) -> list[int]:
    """Round payoffs to whole micro-units that sum to the total; each changes by less than one.

    Args:
        payoffs: the exact payoffs in the game's unit, of either sign.
        total_micro: the total of the payoffs, rounded to micro-units.

    Raises:
        ValueError: the payoffs do not sum to the total.
    """
    given = [exact(payoff, "a payoff") for payoff in payoffs]
    if all(MICRO % payoff.denominator == 0 for payoff in given):
        parts = [payoff.numerator * (MICRO // payoff.denominator) for payoff in given]
        if sum(parts) == total_micro:  # usually no rounding is needed
            return parts
    quotas = [payoff * MICRO for payoff in given]
    whole = sum(quotas, Fraction(0))
    if abs(whole - total_micro) >= 1:
        raise ValueError(
            f"the payoffs sum to {float(whole / MICRO)}, but the total is "
            f"{float(from_micro(total_micro))}: they must be equal"
        )
    return _largest_remainder(quotas, total_micro)


def _largest_remainder(quotas: Sequence[Fraction], total: int) -> list[int]:
    """Round quotas to whole numbers that sum to a total less than 1 away from the quotas' sum."""
    parts = [floor(quota) for quota in quotas]
    by_fraction_lost = sorted(range(len(quotas)), key=lambda i: parts[i] - quotas[i])
    for i in by_fraction_lost[: total - sum(parts)]:
        parts[i] += 1
    return parts
