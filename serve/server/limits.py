"""The server's limits for each caller."""

import math
import os
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Limits:
    """Each limit is set by the environment variable `COOP_MAX_` + its name.

    Attributes:
        body: bytes of one request.
        requests: concurrent requests of one caller.
        steps: the highest recursion limit of a run.
        busy: threads of one operator that run or wait to run.
        tokens: in and out, of all runs of one operator; 0 is no limit.
        usd: what all runs of one operator may cost, by the prices of `COOP_PRICES`; 0 is no limit.
    """

    body: int = 2 * 1024 * 1024
    requests: int = 64
    steps: int = 10_000
    busy: int = 20
    tokens: int = 0
    usd: float = 0.0


def limits() -> Limits:
    """The limits that the environment sets.

    Raises:
        ValueError: one of them is no positive number, or not whole where it has to be.
    """
    found: dict[str, Any] = {}
    for field in fields(Limits):
        variable = f"COOP_MAX_{field.name.upper()}"
        if (text := os.environ.get(variable)) is not None:
            kind = type(field.default)
            found[field.name] = _amount(variable, text) if kind is float else _count(variable, text)
            if not found[field.name] and field.default:
                raise ValueError(f"{variable}={text}: give a positive whole number")
    return Limits(**found)


def _count(variable: str, text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"{variable}={text}: give a positive whole number")
    return int(text)


def _amount(variable: str, text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = math.nan
    if not 0 <= amount < math.inf:
        raise ValueError(f"{variable}={text}: give a positive number, such as 2.50")
    return amount
