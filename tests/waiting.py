"""Waiting for what has to come, however long a busy machine takes."""

import time
from collections.abc import Callable
from typing import TypeVar

HANGS = 300.0
"""Seconds after which nobody believes any more that it comes. No test says how fast it has to."""

T = TypeVar("T")


def wait_for(what: str, look: Callable[[], T]) -> T:
    """Look again and again until there is something to see, and give that."""
    gives_up = time.monotonic() + HANGS
    while not (found := look()):
        assert time.monotonic() < gives_up, f"waited {HANGS:g} s for {what}"
        time.sleep(0.02)
    return found
