"""Work that waits for others, from a command that does not."""

import gc
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

_USUAL = gc.get_threshold()


def defer_gc() -> None:
    """Hardly look for garbage until there is work: what a command imports until then stays."""
    gc.set_threshold(1_000_000)


def finish(work: Coroutine[Any, Any, Result]) -> Result:
    """Do asynchronous work to its end, with garbage collected as usual again."""
    import asyncio  # takes time, which `coop --help` need not

    gc.freeze()  # what was imported is not looked through again and again
    gc.set_threshold(*_USUAL)
    return asyncio.run(work)
