"""The limits of each caller."""

import math
import os
from dataclasses import dataclass

from shapley_coop.extensions.server.serving.body_limit import whole


@dataclass(frozen=True)
class Limits:
    """The limits of a caller, each set in the environment: `busy` by `COOP_MAX_BUSY`, and so on.

    Attributes:
        requests: the most concurrent requests of one caller.
        steps: the highest recursion limit of a run.
        busy: the most threads of one operator with a run that is running or queued.
        tokens: the most tokens of all runs of one operator, in and out; 0 is no limit.
        usd: the most cost in USD of all runs of one operator, by `COOP_PRICES`; 0 is no limit.
    """

    requests: int = 64
    steps: int = 10_000
    busy: int = 20
    tokens: int = 0
    usd: float = 0.0


def limits() -> Limits:
    """Return the limits that the environment sets.

    Raises:
        ValueError: a limit is not a number or out of range, or is not whole (`usd` need not be).
    """
    usual = Limits()
    return Limits(
        requests=whole("COOP_MAX_REQUESTS", usual.requests),
        steps=whole("COOP_MAX_STEPS", usual.steps),
        busy=whole("COOP_MAX_BUSY", usual.busy),
        tokens=whole("COOP_MAX_TOKENS", usual.tokens),
        usd=_amount("COOP_MAX_USD", usual.usd),
    )


def _amount(variable: str, default: float) -> float:
    text = os.environ.get(variable)
    if text is None:
        return default
    try:
        amount = float(text)
    except ValueError:
        amount = math.nan
    if not 0 <= amount < math.inf:
        raise ValueError(f"{variable}={text}: give a positive number, such as 2.50")
    return amount
