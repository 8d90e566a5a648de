"""An environment's observations, infos and rewards as plain JSON for letters."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shapley_coop.games.params import GameError, Number

MAX_NUMBERS = 1_000


def as_number(value: Any, whose: str) -> Number:
    """Return a reward as a plain number.

    Raises:
        GameError: the reward is not a finite number.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise GameError(f"{whose} pays {value!r}, which is not a number") from None
    if not math.isfinite(number):
        raise GameError(f"{whose} pays {number}, which is not finite")
    return int(number) if number.is_integer() else number


def as_plain(value: Any) -> Any:
    """Return observations or infos as JSON; an array too long for a letter is only described."""
    match value:
        case None | bool() | str():
            return value
        case np.ndarray() if value.size > MAX_NUMBERS:
            return {"array": f"{value.dtype} of shape {value.shape}, too long for a letter"}
        case np.ndarray() | np.generic():
            return as_plain(value.tolist())
        case int():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case Mapping():
            return {str(key): as_plain(inner) for key, inner in value.items()}
        case Sequence():
            return [as_plain(inner) for inner in value]
        case _:
            return f"a {type(value).__name__}"
