"""Labels of threads: metadata about the game and its state, so that threads can be searched.

    client.threads.search(metadata={"game": "escape_room", "status": "agreed"})

LangGraph merges a run's metadata into its thread only if the run creates the thread. So the saver
reports each checkpoint that changes a label, and the in-process client updates the thread.
"""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

from shapley_coop.games.catalogue import title
from shapley_coop.serve.server.in_process import inside

logger = logging.getLogger(__name__)

_FROM = {"settings", "status", "contract"}
"""The keys of the table that labels depend on."""


def labels(table: Mapping[str, Any]) -> dict[str, Any]:
    """Episode, game, agents, seed, status, and the hash of the contract in force."""
    if not (settings := table.get("settings")):
        return {}
    contract = table.get("contract") or {}
    return {
        "episode": table.get("episode"),
        "game": title(settings.get("game") or {}),
        "agents": table.get("agents"),
        "seed": settings.get("seed"),
        "status": table.get("status"),
        "contract": contract.get("hash"),
    }


async def label(thread: str, table: Mapping[str, Any], written: Iterable[str]) -> None:
    """Update a thread's labels, if a key that they depend on was just written."""
    if _FROM.isdisjoint(written) or not (found := labels(table)):
        return
    try:
        await inside().threads.update(thread, metadata=found)
    except httpx.HTTPError as error:
        # A run goes on even if it cannot be searched for.
        logger.warning("Thread %s could not be labelled: %s", thread, type(error).__name__)
