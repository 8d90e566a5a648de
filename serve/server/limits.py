"""How much a caller may ask of the server."""

import os
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Limits:
    """Each is set by an environment variable, `COOP_MAX_` and its name.

    Attributes:
        body: bytes of one request.
        requests: requests of one caller under way.
        steps: the recursion limit of one run, whatever it asks for.
        busy: threads of one operator that are at work or wait for it.
    """

    body: int = 2 * 1024 * 1024
    requests: int = 64
    steps: int = 10_000
    busy: int = 20


def limits() -> Limits:
    """The limits that the environment sets.

    Raises:
        ValueError: one is no positive number.
    """
    return Limits(**{field.name: _limit(field.name, field.default) for field in fields(Limits)})


def _limit(name: str, default: Any) -> int:
    variable = f"COOP_MAX_{name.upper()}"
    text = os.environ.get(variable, str(default))
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{variable}={text}: give a positive whole number")
    return int(text)
