"""Exact numbers: decimals and fractions in, fractions inside, strings out."""

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

MAX_AMOUNT = 10**9
MAX_DENOMINATOR = 10**9


def parse_exact(value: Any) -> Fraction:
    """Read 5.5, "5.5", "11/2" or "55%" without rounding.

    Raises:
        ValueError: no finite number, or one too large or too fine to be meant.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction | Decimal):
        raise ValueError("is no number: give 5.5, '11/2' or '55%'")
    text = str(value).strip()
    if len(text) > 40:
        raise ValueError("is written with more than 40 characters: give a shorter number")
    percent = text.endswith("%")
    try:
        number = _fraction(text.removesuffix("%").strip())
    except (ValueError, ArithmeticError, InvalidOperation):
        raise ValueError(f"{text!r} is no finite number: give 5.5, '11/2' or '55%'") from None
    number = number / 100 if percent else number
    if abs(number) > MAX_AMOUNT or number.denominator > MAX_DENOMINATOR:
        raise ValueError(f"{text} is out of range: at most {MAX_AMOUNT}, nine decimals")
    return number


def _fraction(text: str) -> Fraction:
    if "/" in text:
        over, under = text.split("/")
        return Fraction(int(over), int(under))
    number = Decimal(text)
    if not number.is_finite() or abs(number.adjusted()) > 20:
        raise ValueError(text)
    return Fraction(number)


def plain(number: Fraction) -> str:
    """A fraction as people write it: a decimal where it ends, else numerator/denominator."""
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
"""A pydantic field that holds an exact number; a string in JSON."""
