"""Deadlines on the server: a person who has not replied in time passes."""

import asyncio
import logging
import time
from collections import Counter
from typing import Any

import httpx

from shapley_coop.seats.person import IGNORE, overdue
from shapley_coop.serve.server.in_process import all_threads, go_on, owner_in, waiting_in

EVERY = 5.0
"""Seconds between two checks of the waiting threads."""

logger = logging.getLogger(__name__)

_told: set[str] = set()
"""The threads whose fault is in the log, so that it is not there at every check."""


async def keep_deadlines() -> None:
    """Check the deadlines for as long as the server runs."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            await pass_overdue(time.time())
        except Exception as error:  # whatever it is, the next check may find it mended
            logger.warning("deadlines could not be checked: %s", type(error).__name__)


async def pass_overdue(now: float) -> int:
    """Pass for all whose deadline is over; return the number of threads resumed.

    A thread that cannot go on stops no other's, and tenants take turns: the many threads of one do
    not keep the others waiting.
    """
    passed = 0
    for thread in _in_turns(await all_threads(status="interrupted", select=_READ)):
        try:
            passed += await _pass(thread, now)
            _told.discard(thread["thread_id"])
        except Exception as error:  # whatever it is, it is this thread's alone
            if (name := thread["thread_id"]) not in _told:
                _told.add(name)
                why = type(error).__name__  # its words may hold what is private
                logger.warning("Thread %s cannot go on past its deadline: %s", name, why)
    return passed


_READ = ["thread_id", "metadata", "interrupts"]


def _in_turns(threads: list[Any]) -> list[Any]:
    """The threads in another order: the first of each owner, then the second of each, and so on."""
    before, turns = Counter[str](), list[int]()
    for thread in threads:
        owner = owner_in(thread["metadata"])
        turns.append(before[owner])
        before[owner] += 1
    return [threads[at] for at in sorted(range(len(threads)), key=turns.__getitem__)]


async def _pass(thread: Any, now: float) -> bool:
    """Pass for those in a thread whose deadline is over; whether there were any."""
    late = {
        asked["id"]: IGNORE
        for asked in waiting_in(thread)
        if isinstance(asked["value"], dict) and overdue(asked["value"], now)
    }
    if not late:
        return False
    about: Any = thread["metadata"] or {}
    place = thread["thread_id"], about["assistant_id"], owner_in(about)
    try:
        await go_on(*place, late, multitask_strategy="reject")
    except httpx.HTTPStatusError as refused:
        # The person has just replied, or another server of this deployment was faster.
        if refused.response.status_code not in (409, 422):
            raise
    return True
