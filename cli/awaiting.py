"""Work that waits for others, from a command that does not."""

from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def finish(work: Coroutine[Any, Any, Result]) -> Result:
    """Do asynchronous work to its end."""
    import asyncio  # takes time, which `coop --help` need not

    return asyncio.run(work)
