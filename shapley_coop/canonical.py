"""Canonical JSON and its hash by RFC 8785 (JCS) and SHA-256, which other libraries reproduce.

>>> canonical({"b": 1.0, "a": "Zoë"}).decode()
'{"a":"Zoë","b":1}'
>>> digest({"a": "Zoë", "b": 1})[:12]
'fc07bcc0f5a8'

Whole numbers beyond 2^53 − 1 have no form in RFC 8785, so they are written as strings.
"""

import hashlib
import json
from typing import Any

import orjson
import rfc8785

from shapley_coop.amounts import plain

SAFE = 2**53 - 1
"""The largest whole number that every JSON reader keeps unchanged (RFC 7493)."""


def canonical(value: Any) -> bytes:
    """Return the canonical bytes of plain JSON, which are hashed and signed.

    Args:
        value: mappings with string keys, lists, tuples, strings, numbers, booleans and None.

    Raises:
        ValueError: the value contains NaN, infinity, a lone surrogate, or another type.
    """
    try:
        return rfc8785.dumps(value)
    except rfc8785.IntegerDomainError:
        return canonical(_without_large(value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise ValueError(f"it has no canonical JSON: {error}") from None


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON, in hexadecimal.

    Raises:
        ValueError: the value has no canonical JSON; see `canonical`.
    """
    return hashlib.sha256(canonical(value)).hexdigest()


def cache_key(value: Any) -> bytes:
    """Return plain JSON as bytes for a cache's key, which may change with the program's version.

    Args:
        value: what `canonical` takes, with keys in any order; fractions are written as strings.
    """
    try:
        return fit(orjson.dumps(value, default=plain))
    except TypeError:  # the value has a whole number of more than 64 bits, or a lone surrogate
        return json.dumps(value, default=plain).encode()


def fit(written: bytes) -> bytes:
    """Return a copy of orjson's output that takes no more memory than its length.

    orjson's output keeps its whole buffer alive: at least 4 kB, and up to twenty times the
    output's length.
    """
    return bytes(memoryview(written))


def _without_large(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_large(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_large(one) for one in value]
    large = isinstance(value, int) and not isinstance(value, bool) and abs(value) > SAFE
    return str(value) if large else value
