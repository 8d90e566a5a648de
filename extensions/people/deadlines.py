"""The enforcement of reply deadlines: the server passes for a person whose reply is late."""

import asyncio
import logging
import time
from collections import Counter
from typing import Any

import httpx

from shapley_coop.extensions.server.serving.guards import Guard
from shapley_coop.extensions.server.serving.in_process import (
    all_threads,
    go_on,
    owner_in,
    waiting_in,
)
from shapley_coop.seats.records import IGNORE, overdue

EVERY = 5.0
"""Seconds between two checks of the waiting threads."""

logger = logging.getLogger(__name__)


class Deadlines(Guard):
    """The hooks into LangGraph's server that check reply deadlines while it runs."""

    async def begin(self) -> None:
        """Begin to check deadlines, at the server's start."""
        self._checks = asyncio.create_task(keep_deadlines())

    async def end(self) -> None:
        """End the checks of deadlines, at the server's end."""
        self._checks.cancel()


DEADLINES = Deadlines()

_told: set[str] = set()
"""The ids of threads whose error is already logged, so that later checks do not repeat it."""


async def keep_deadlines() -> None:
    """Check the deadlines every `EVERY` seconds for as long as the server runs."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            await pass_overdue(time.time())
        except Exception as error:  # keep checking, because the next check may succeed
            logger.warning("deadlines could not be checked: %s", type(error).__name__)


async def pass_overdue(now: float) -> int:
    """Reply with a pass for every overdue person; return the number of threads resumed.

    If one thread fails, the other threads still resume. Threads of different owners alternate, so
    an owner of many threads does not delay other owners.
    """
    passed = 0
    for thread in _in_turns(await all_threads(status="interrupted", select=_READ)):
        try:
            passed += await _pass(thread, now)
            _told.discard(thread["thread_id"])
        except Exception as error:  # one thread's error must not stop other threads
            if (name := thread["thread_id"]) not in _told:
                _told.add(name)
                why = type(error).__name__  # the error's message may contain private text
                logger.warning("Thread %s cannot go on past its deadline: %s", name, why)
    return passed


_READ = ["thread_id", "metadata", "interrupts"]


def _in_turns(threads: list[Any]) -> list[Any]:
    """Reorder threads: the first thread of each owner, then the second of each, and so on."""
    before, turns = Counter[str](), list[int]()
    for thread in threads:
        owner = owner_in(thread["metadata"])
        turns.append(before[owner])
        before[owner] += 1
    return [threads[at] for at in sorted(range(len(threads)), key=turns.__getitem__)]


async def _pass(thread: Any, now: float) -> bool:
    """Reply with a pass for each overdue person of a thread; return whether there was one."""
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
        # The person has just replied, or another server of this deployment has just passed for it.
        if refused.response.status_code not in (409, 422):
            raise
    return True
