"""The scoring of traces: adds scores to an ended run's trace, and links its thread to the trace."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, cast

import httpx

from shapley_coop.extensions.server.serving.in_process import inside
from shapley_coop.seats.tracing import tracing
from shapley_coop.state.table import Table

TRACE = "trace"
"""The metadata key of a thread's link to its trace."""

logger = logging.getLogger(__name__)


def score_when_ended(thread: str, table: Mapping[str, Any], written: Iterable[str]) -> None:
    """Score a traced run in the background if the checkpoint wrote its settlement."""
    if not tracing() or "settlement" not in set(written) or not table.get("settlement"):
        return
    scoring = asyncio.create_task(_score(thread))
    _under_way.add(scoring)
    scoring.add_done_callback(_under_way.discard)


_under_way: set[asyncio.Task[None]] = set()
"""References to running tasks; without them the garbage collector could end a task."""


async def _score(thread: str) -> None:
    """Score a run from its thread's state, because a checkpoint lacks old items of long lists."""
    from shapley_coop.evals.langsmith.feedback import score_trace

    try:
        state = await inside().threads.get_state(thread)
    except httpx.HTTPError as error:
        logger.warning("Thread %s is not scored: %s", thread, type(error).__name__)
        return
    linked = partial(_link, thread, asyncio.get_running_loop())
    score_trace(cast(Table, state["values"]), then=linked)


def _link(thread: str, loop: asyncio.AbstractEventLoop, link: str) -> None:
    """Log the link to a run's trace, and add the link to the thread's metadata."""
    if link:
        logger.info("Trace of thread %s: %s", thread, link)
        asyncio.run_coroutine_threadsafe(_label(thread, link), loop)


async def _label(thread: str, link: str) -> None:
    await inside().threads.update(thread, metadata={TRACE: link})
