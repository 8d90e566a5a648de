"""Utility tables: checks of given scores, and their normalisation.

Agent a's score r(a, c) in [0, 100] of a set c becomes U(a, c) = r(a, c) / max over c of r(a, c), or
0 if all scores are 0 (utility-aware exchange, A.2). Tables need not be monotone or additive.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from shapley_coop.amounts import MICRO
from shapley_coop.extensions.exchange.domain.masks import Micros, from_bits, to_bits
from shapley_coop.games.params import GameError

TOP = 100

SHOWN = 8
"""The most wrong masks that an error names; the error gives the number of further masks."""


def read_scores(raw: Any, n: int, whose: str) -> list[float]:
    """Return the scores of all 2ⁿ composites from a mapping of bit strings to scores.

    Every set of tasks needs a score; the empty set scores 0 if it is left out.

    Raises:
        GameError: a mask is missing, unknown or out of range.
    """
    found = scores_of(raw, range(1, 1 << n), n, whose)
    return [found.get(mask, 0.0) for mask in range(1 << n)]


def scores_of(raw: Any, asked: Sequence[int], n: int, whose: str) -> dict[int, float]:
    """Return mask → score from a mapping like {"011": 40}, where bits are tasks of a composite.

    The mapping must name all masks in `asked`, and no other but the empty set. Errors fit
    on one line.

    Raises:
        GameError: a mask is missing, unknown or out of range; the error names it.
    """
    if not isinstance(raw, Mapping):
        raise GameError(f"{whose}: utilities must map masks to scores in 0..{TOP}")
    scores: dict[int, float] = {}
    for bits, score in raw.items():
        mask = from_bits(bits, n)
        if isinstance(score, bool) or not isinstance(score, int | float) or not isfinite(score):
            raise GameError(f"{whose}: the score of {bits} is not a number: give one in 0..{TOP}")
        if not 0 <= score <= TOP:
            raise GameError(f"{whose}: the score of {bits} is out of range: give 0..{TOP}")
        scores[mask] = float(score)
    _complete(scores, asked, n, f"{whose}: no score for", "score")
    return scores


def descriptions_of(raw: Any, asked: Sequence[int], n: int) -> dict[int, str]:
    """Return mask → description from a mapping of bit strings; it must name the masks in `asked`.

    Raises:
        GameError: a description is not text, or masks are missing or unknown.
    """
    if not isinstance(raw, Mapping):
        raise GameError("the registry must map masks to descriptions")
    found: dict[int, str] = {}
    for bits, description in raw.items():
        if not isinstance(description, str):
            raise GameError(f"the description of {bits} is not text")
        found[from_bits(bits, n)] = description
    _complete(found, asked, n, "no description of", "describe")
    return found


def _complete(found: Mapping[int, Any], asked: Sequence[int], n: int, lack: str, do: str) -> None:
    """Check that exactly the requested masks are present; the empty set may be present too."""
    if missing := [mask for mask in asked if mask not in found]:
        raise GameError(f"{lack} {_list_masks(missing, n)}: {do} every composite once")
    if strange := sorted(set(found) - {0, *asked}):
        raise GameError(f"{_list_masks(strange, n)} was not asked for: {do} only what is asked for")


def _list_masks(masks: Sequence[int], n: int) -> str:
    shown = ", ".join(to_bits(mask, n) for mask in masks[:SHOWN])
    more = len(masks) - SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def normalise_scores(scores: list[float]) -> Micros:
    """Return utilities in millionths of the highest raw score."""
    raw = np.asarray(scores, dtype=np.float64)
    top = raw.max()
    return np.rint(raw / top * MICRO).astype(np.int64) if top > 0 else np.zeros(len(raw), np.int64)
