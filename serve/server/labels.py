"""Labels: what the metadata of a thread says of its play, so that it can be searched for.

    client.threads.search(metadata={"game": "escape_room", "status": "agreed"})

LangGraph merges a run's metadata into its thread only where the run makes the thread. Hence the
saver tells of every checkpoint that changes a label, and the server's own client writes it down.
"""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

from shapley_coop.games.catalogue import title
from shapley_coop.serve.server.in_process import inside

logger = logging.getLogger(__name__)

_FROM = {"settings", "status", "contract"}
"""The keys of the table that labels are read from."""


def labels(table: Mapping[str, Any]) -> dict[str, Any]:
    """Episode, game, agents, seed, how the play stands, and the hash of the contract in force."""
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
    """Write a thread's labels down, if what they are read from was just written."""
    if _FROM.isdisjoint(written) or not (said := labels(table)):
        return
    try:
        await inside().threads.update(thread, metadata=said)
    except httpx.HTTPError as error:
        # A play does not end because nobody can search for it.
        logger.warning("Thread %s could not be labelled: %s", thread, type(error).__name__)
