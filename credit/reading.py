"""Checks of JSON written by people: each error is one line that names the place and the fault."""

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.files import read_json as read_json  # noqa: PLC0414

MAX_NUMBER = 10**15
"""The largest accepted number: no real amount is larger, and sums stay finite as floats."""


def as_object(value: Any, what: str) -> dict[str, Any]:
    """Return `value` if it is a JSON object.

    Raises:
        ValueError: `value` is not an object, or has a key that is not text.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"{what}: {_kind(value)} where an object {{…}} is needed")
    if wrong := [key for key in value if not isinstance(key, str)]:
        raise ValueError(f"{what} has the key {wrong[0]!r}: keys are text")
    return dict(value)


def as_list(value: Any, what: str) -> list[Any]:
    """Return `value` if it is a non-empty JSON list.

    Raises:
        ValueError: `value` is not a list, or is empty.
    """
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(f"{what}: {_kind(value)} where a list […] with entries is needed")
    return list(value)


def as_number(value: Any, what: str) -> Fraction:
    """Return `value` as an exact fraction if it is a JSON number of at most ±MAX_NUMBER.

    Raises:
        ValueError: `value` is text, a boolean, null, NaN, infinite or beyond MAX_NUMBER.
    """
    if isinstance(value, bool | str):
        raise ValueError(f"{what} is {json.dumps(value)[:40]}: a number is needed")
    number = exact(value, what)
    if abs(number) > MAX_NUMBER:
        raise ValueError(f"{what} is beyond ±{MAX_NUMBER:.0e}: use a larger unit")
    return number


def only_keys(found: Iterable[str], known: Iterable[str], what: str) -> None:
    """Check that all keys found are known.

    Raises:
        ValueError: a key is unknown; the message lists the known keys.
    """
    known = list(known)
    if unknown := [key for key in found if key not in known]:
        raise ValueError(f"{what}: {unknown[0]!r} is unknown; known are {', '.join(known)}")


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    if isinstance(value, list | tuple) and not value:
        return "an empty list"
    return "null" if value is None else names.get(type(value), "a number")
