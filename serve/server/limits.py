"""The server's limits for each caller."""

import os
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Limits:
    """Each limit is set by the environment variable `COOP_MAX_` + its name.

    Attributes:
        body: bytes of one request.
        requests: concurrent requests of one caller.
        steps: the highest recursion limit of a run.
        busy: threads of one operator that run or wait to run.
        tokens: in and out, of all runs of one operator; 0 is no limit.
    """

    body: int = 2 * 1024 * 1024
    requests: int = 64
    steps: int = 10_000
    busy: int = 20
    tokens: int = 0


def limits() -> Limits:
    """The limits that the environment sets.

    Raises:
        ValueError: one of them is no positive whole number.
    """
    found = {}
    for field in fields(Limits):
        variable = f"COOP_MAX_{field.name.upper()}"
        text = os.environ.get(variable, str(field.default))
        if not text.isdecimal() or (int(text) < 1 and field.default):
            raise ValueError(f"{variable}={text}: give a positive whole number")
        found[field.name] = int(text)
    return Limits(**found)
