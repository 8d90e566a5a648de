"""Run asynchronous work from a synchronous command."""

import gc
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

_USUAL = gc.get_threshold()


def defer_gc() -> None:
    """Raise the collector's threshold during imports, whose objects all stay."""
    gc.set_threshold(1_000_000)


def finish(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end, with the collector's usual threshold."""
    import asyncio  # slow to import, and `coop --help` does not need it

    gc.freeze()  # so that imported objects are not scanned again and again
    gc.set_threshold(*_USUAL)
    return asyncio.run(work)
