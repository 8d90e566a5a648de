"""Deadlines on the server: a person who has not replied in time passes."""

import asyncio
import logging
import time
from typing import Any

import httpx

from shapley_coop.seats.person import IGNORE, overdue
from shapley_coop.serve.server.in_process import go_on, inside, owner_in, waiting_in

EVERY = 5.0
"""Seconds between two checks of the waiting threads."""

AT_ONCE = 1000
"""The most threads in one check."""

logger = logging.getLogger(__name__)


async def keep_deadlines() -> None:
    """Check the deadlines for as long as the server runs."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            await pass_overdue(time.time())
        except httpx.HTTPError as error:
            logger.warning("deadlines could not be checked: %s", type(error).__name__)


async def pass_overdue(now: float) -> int:
    """Pass for all whose deadline is over; return the number of threads resumed."""
    passed = 0
    for thread in await inside().threads.search(status="interrupted", limit=AT_ONCE):
        late = {
            asked["id"]: IGNORE
            for asked in waiting_in(thread)
            if isinstance(asked["value"], dict) and overdue(asked["value"], now)
        }
        if not late:
            continue
        passed += 1
        about: Any = thread["metadata"] or {}
        place = thread["thread_id"], about["assistant_id"], owner_in(about)
        try:
            await go_on(*place, late, multitask_strategy="reject")
        except httpx.HTTPStatusError as refused:
            # The person has just replied, or another server of this deployment was faster.
            if refused.response.status_code not in (409, 422):
                raise
    return passed
