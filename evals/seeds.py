"""The notation for seeds: a list of numbers and ranges.

>>> parse_seeds("0-2,10")
[0, 1, 2, 10]
"""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

MOST_SEEDS = 1_000_000


def parse_seeds(text: str | float) -> list[int]:
    """Return the seeds in a text such as "0-29", "7" or "0-4,10,20-24".

    Raises:
        ValueError: the text is not a list of seeds, or a range is empty or too long.
    """
    seeds: list[int] = []
    for part in str(text).split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise ValueError(f"{str(text)!r} is not a list of seeds: give 0-29, or 0-4,10,20-24")
        span = range(int(first), int(last if dash else first) + 1)
        if not 0 < len(span) <= MOST_SEEDS:
            raise ValueError(
                f"seeds {text!r}: {part.strip()} contains no seed or too many: give 0-29, or "
                "0-4,10,20-24"
            )
        seeds.extend(span)
    return seeds


def _list_seeds(seeds: Any) -> Any:
    return parse_seeds(seeds) if isinstance(seeds, str | int | float) else seeds


Seeds = Annotated[
    list[int],
    BeforeValidator(_list_seeds),
    Field(min_length=1, description="A list of seeds, or a range such as 0-9 or 0-4,10."),
]
