"""Traces of the server's runs: scored when a run ends, and linked from its thread."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, cast

from shapley_coop.seats.tracing import tracing
from shapley_coop.serve.server.in_process import inside
from shapley_coop.state import Table

TRACE = "trace"
"""The metadata key of a thread's link to its trace."""

logger = logging.getLogger(__name__)


def score_when_ended(thread: str, table: Mapping[str, Any], written: Iterable[str]) -> None:
    """Have a run scored in the background once its settlement was written, if it is traced."""
    if not tracing() or "settlement" not in set(written) or not table.get("settlement"):
        return
    from shapley_coop.evals.sweeps.feedback import score_trace

    linked = partial(_link, thread, asyncio.get_running_loop())
    score_trace(cast(Table, dict(table)), then=linked)


def _link(thread: str, loop: asyncio.AbstractEventLoop, link: str) -> None:
    """Log where a trace is looked at, and add it to the thread's metadata."""
    if link:
        logger.info("Trace of thread %s: %s", thread, link)
        asyncio.run_coroutine_threadsafe(_label(thread, link), loop)


async def _label(thread: str, link: str) -> None:
    await inside().threads.update(thread, metadata={TRACE: link})
