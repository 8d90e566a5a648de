"""Work that waits for others, from a command that does not."""

from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def finish(work: Coroutine[Any, Any, Result]) -> Result:
    """Do asynchronous work to its end."""
    import asyncio  # takes a fifth of the time of `coop --help`, which does not need it

    return asyncio.run(work)
