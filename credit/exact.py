"""Exact numbers: what people and programs write, as fractions."""

from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real
from typing import TypeVar

Number = int | float | Fraction
"""A worth, a value or an amount."""

OneNumber = TypeVar("OneNumber", int, float, Fraction, Number)
"""One kind of number, kept: fractions in, fractions out."""

MAX_EXPONENT = 400
"""Beyond any float; keeps "1e999999999" from filling the memory with zeros."""


def exact(number: Number | str, what: str = "the number") -> Fraction:
    """The fraction that `number` was written as: 0.1 is 1/10, "1/3" is 1/3.

    A float stands for the shortest decimal that prints it, not for its binary expansion: three
    shares of 0.1, 0.2 and 0.7 then sum to 1.

    Args:
        number: an integer, float, fraction, or a string of a decimal or of a ratio.
        what: how an error names the number.

    Raises:
        ValueError: it is not a number, or not a finite one.
    """
    if isinstance(number, Rational):
        return Fraction(number)
    if isinstance(number, str):
        return _parsed(number, what)
    if not isinstance(number, Real):
        raise ValueError(f"{what} is {number!r}: a number is needed")
    if not isfinite(number):
        raise ValueError(f"{what} is {number}: a finite number is needed")
    return Fraction(repr(float(number)))


def _parsed(text: str, what: str) -> Fraction:
    try:
        return _fraction(text)
    except (ValueError, ArithmeticError):
        shown = text if len(text) <= 40 else text[:40] + "…"
        raise ValueError(
            f"{what} is {shown!r}: a finite number such as 4.5 or 9/2 is needed"
        ) from None


def _fraction(text: str) -> Fraction:
    if "/" in text:
        return Fraction(text)
    decimal = Decimal(text)
    if not decimal.is_finite() or abs(decimal.adjusted()) > MAX_EXPONENT:
        raise ValueError(text)
    return Fraction(decimal)
