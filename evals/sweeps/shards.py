"""A part of a sweep for a machine that shares no database with the others.

>>> shard_from("1/2")
(1, 2)
"""

from collections.abc import Sequence

from shapley_coop.evals.sweeps.cells import Cell


def shard(cells: Sequence[Cell], part: int, parts: int) -> list[Cell]:
    """Return one of `parts` disjoint parts, from 1.

    A cell's part does not change when seeds are added, and every part has all conditions.
    """
    return [c for c in cells if (c.condition.rank + c.seed + c.repetition) % parts == part - 1]


def shard_from(given: str) -> tuple[int, int]:
    """Read i/n: the part, from 1, and the number of parts.

    Raises:
        ValueError: there is no such part.
    """
    part, _, parts = given.partition("/")
    if part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts):
        return int(part), int(parts)
    raise ValueError(f"--shard {given}: give i/n with 1 ≤ i ≤ n, as in 1/2")
