"""Sets of atomic tasks ("atoms") as bit masks, most significant bit first.

The first of n atoms is bit n − 1 and the last is bit 0. `"110"` contains the first two of three
atoms, as in the paper's bit strings. (Coalitions in `credit.coalitions` have the least significant
bit first.) Utilities are arrays of 2ⁿ integers in millionths, indexed by the mask.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.games.params import GameError

Micros = NDArray[np.int64]
"""Utilities as integers in millionths, so that sums and comparisons are exact."""


def full(n: int) -> int:
    """Return the mask of all n atoms."""
    return (1 << n) - 1


def to_bits(mask: int, n: int) -> str:
    """Return a mask as text: n characters, first atom first."""
    return format(mask, f"0{n}b")


def from_bits(bits: Any, n: int) -> int:
    """Return the mask that a text of bits describes.

    Raises:
        GameError: the text is not n characters 0 or 1.
    """
    if not isinstance(bits, str) or len(bits) != n or set(bits) - {"0", "1"}:
        raise GameError(
            f"{bits!r} is not a mask of {n} atoms: write {n} characters 0 or 1 in quotes"
        )
    return int(bits, 2)


def members(mask: int, n: int) -> list[int]:
    """Return the positions of the atoms in a mask, first atom first."""
    return [i for i, bit in enumerate(to_bits(mask, n)) if bit == "1"]


def mask_of(positions: Sequence[int], n: int) -> int:
    """Return the mask of the atoms at some positions."""
    return sum(1 << (n - 1 - i) for i in set(positions))


def subsets(mask: int) -> Micros:
    """Return all 2^|mask| subsets of a mask, with ∅ and the mask itself, in ascending order."""
    found = np.zeros(1, dtype=np.int64)
    for bit in range(mask.bit_length()):
        if mask >> bit & 1:
            found = np.concatenate([found, found | (1 << bit)])
    return found
