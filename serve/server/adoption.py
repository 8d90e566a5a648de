"""Hands what was kept before rows had owners to the owners of its threads, once, at the start."""

import asyncio
import logging
from collections import defaultdict
from typing import Any

from shapley_coop.serve.server.in_process import OWNER, all_threads
from shapley_coop.state import home
from shapley_coop.state.storage.owners import NotYours

logger = logging.getLogger(__name__)


async def adopt() -> None:
    """Give each unowned episode and thread to the owner that the server's list names for it.

    An episode that threads of several owners name stays as it is: only one of them can be right.
    """
    owners = home().owners
    if not await asyncio.to_thread(owners.unowned):
        return
    claims: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for thread in await all_threads():
        about: Any = thread["metadata"] or {}
        if owner := str(about.get(OWNER) or ""):
            claims[str(about.get("episode") or "")].add((thread["thread_id"], owner))
    for episode, places in claims.items():
        if not all([await _claimed(thread, owner) for thread, owner in sorted(places)]):
            continue
        if len(places) == 1 and episode:
            ((thread, owner),) = places
            await asyncio.to_thread(owners.hand_over, episode, thread, owner)
        elif episode:
            logger.warning(
                "Episode %s is named by %d threads: nobody gets it", episode, len(places)
            )


async def _claimed(thread: str, owner: str) -> bool:
    """Give a thread to its owner; whether it is no other's already, which is logged."""
    try:
        await asyncio.to_thread(home().owners.check_thread, thread, owner, claim=True)
    except NotYours as error:
        logger.warning("Thread %s stays as it is: %s", thread, error)
        return False
    return True
