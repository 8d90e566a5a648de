"""Deadlines on the server: a person who has not replied in time passes, whoever looks."""

import asyncio
import logging
import time
from typing import Any

import httpx

from shapley_coop.seats.person import IGNORE, overdue
from shapley_coop.serve.server.in_process import GOES_ON, inside

EVERY = 5.0
"""Seconds between looks at the threads that wait."""

AT_ONCE = 1000
"""Threads that are looked at in one go."""

logger = logging.getLogger(__name__)


async def keep_deadlines() -> None:
    """Look again and again, for as long as the server lives."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            await pass_overdue(time.time())
        except httpx.HTTPError as error:
            logger.warning("deadlines were not looked at: %s", type(error).__name__)


async def pass_overdue(now: float) -> int:
    """Answer for everybody whose time was up at a moment; how many threads that were."""
    passed = 0
    for thread in await inside().threads.search(status="interrupted", limit=AT_ONCE):
        if late := _late(thread, now):
            await _resume(thread, late)
            passed += 1
    return passed


def _late(thread: Any, now: float) -> dict[str, Any]:
    """Interrupt → the reply that passes, for those that are overdue."""
    waiting = [asked for interrupts in thread["interrupts"].values() for asked in interrupts]
    return {
        asked["id"]: IGNORE
        for asked in waiting
        if isinstance(asked["value"], dict) and overdue(asked["value"], now)
    }


async def _resume(thread: Any, replies: dict[str, Any]) -> None:
    try:
        await inside().runs.create(
            thread["thread_id"],
            thread["metadata"]["assistant_id"],
            command={"resume": replies},
            metadata={GOES_ON: True},
            durability="sync",
            multitask_strategy="reject",
        )
    except httpx.HTTPStatusError as refused:
        # Somebody has just answered, or another server of this deployment was faster.
        if refused.response.status_code not in (409, 422):
            raise
