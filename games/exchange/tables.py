"""Utility tables: checking what somebody scored, and normalising it.

A score r(a, c) in [0, 100] for each composite c becomes U(a, c) = r(a, c) / max over c of r(a, c),
or 0 where nothing scores (utility-aware exchange, A.2). Tables need not be monotone or additive.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from games.exchange.masks import MICRO, Micros, from_bits, to_bits
from games.game import GameError

TOP = 100


def read_scores(raw: Any, n: int, whose: str) -> list[float]:
    """Scores by bit string, as a person or a model gives them.

    Every mask once; that of no atoms may be left out and scores 0. The error's one line is fit to
    be sent back to a model that is to mend its answer.

    Raises:
        GameError: names the mask that is missing, unknown or out of range.
    """
    if not isinstance(raw, Mapping):
        raise GameError(f"{whose}: utilities are a mapping of masks to scores in 0..{TOP}")
    scores: dict[int, float] = {0: 0.0}
    for bits, score in raw.items():
        mask = from_bits(bits, n)
        if isinstance(score, bool) or not isinstance(score, int | float) or not isfinite(score):
            raise GameError(f"{whose}: the score of {bits} is no number: give one in 0..{TOP}")
        if not 0 <= score <= TOP:
            raise GameError(f"{whose}: the score of {bits} is out of range: give one in 0..{TOP}")
        scores[mask] = float(score)
    if missing := [mask for mask in range(1, 1 << n) if mask not in scores]:
        raise GameError(
            f"{whose}: no score for {to_bits(missing[0], n)} and {len(missing) - 1} more masks: "
            "score every composite once"
        )
    return [scores[mask] for mask in range(1 << n)]


def read_descriptions(raw: Any, n: int) -> dict[int, str]:
    """Descriptions by bit string; what is left out will be composed.

    Raises:
        GameError: a mask is wrong or a description is no text.
    """
    if not isinstance(raw, Mapping):
        raise GameError("the registry is a mapping of masks to descriptions")
    found: dict[int, str] = {}
    for bits, description in raw.items():
        if not isinstance(description, str):
            raise GameError(f"the description of {bits} is no text")
        found[from_bits(bits, n)] = description
    return found


def every_description(raw: Any, n: int) -> dict[int, str]:
    """Descriptions of all composites, as a model is asked for them: every mask but ∅ once.

    Raises:
        GameError: as `read_descriptions`, or one is missing.
    """
    found = read_descriptions(raw, n)
    if missing := [mask for mask in range(1, 1 << n) if mask not in found]:
        raise GameError(
            f"no description of {to_bits(missing[0], n)} and {len(missing) - 1} more masks: "
            "describe every composite once"
        )
    return found


def normalised(scores: list[float]) -> Micros:
    """U in millionths from raw scores."""
    raw = np.asarray(scores, dtype=np.float64)
    top = raw.max()
    return np.rint(raw / top * MICRO).astype(np.int64) if top > 0 else np.zeros(len(raw), np.int64)
