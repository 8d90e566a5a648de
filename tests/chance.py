"""The seed of every random loop: printed by each session, and another one every day.

A loop that failed is repeated by the line that pytest prints:

    COOP_TEST_SEED=20260131 make test
"""

import os
from datetime import UTC, datetime
from random import Random

VARIABLE = "COOP_TEST_SEED"


def settle_seed() -> None:
    """Choose today's seed unless one is given; worker processes inherit the choice."""
    os.environ.setdefault(VARIABLE, f"{datetime.now(UTC):%Y%m%d}")


def seed_line() -> str:
    """What a session prints about its seed."""
    return f"random loops: {VARIABLE}={os.environ[VARIABLE]}"


def dice(name: str) -> Random:
    """A generator of its own for one loop, so that no loop shifts what another draws."""
    return Random(f"{os.environ[VARIABLE]}:{name}")
