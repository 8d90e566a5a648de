"""Labels of threads: metadata about the game and its state, so that threads can be searched.

    client.threads.search(metadata={"game": "escape_room", "status": "agreed"})

LangGraph merges a run's metadata into its thread only if the run creates the thread. So the saver
reports each checkpoint that changes a label, and the in-process client updates the thread. When a
game begins or ends, the update is immediate. After a signing, the update is delayed: an update
takes as long as a turn, and usually the game ends soon, which updates all labels anyway.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

from shapley_coop.extensions.server.serving.in_process import inside
from shapley_coop.games.catalogue import game_name

logger = logging.getLogger(__name__)

_FROM = {"settings", "status", "contract", "run"}
"""The keys of the graph's state on which labels depend."""

_LATER = {"contract"}
"""The keys of the graph's state whose labels are updated after a delay."""

SOON = 5.0
"""The delay of a late update in seconds."""

_late: dict[str, asyncio.TimerHandle] = {}
_telling: set[asyncio.Task[None]] = set()


def labels(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the labels: episode, game, agents, seed, status, and the contract's hash.

    For a conversation that has played a game: its run, game and episode.
    """
    if not (settings := table.get("settings")):
        return _of_conversation(table)
    contract = table.get("contract") or {}
    return {
        "episode": table.get("episode"),
        "game": game_name(settings.get("game") or {}),
        "agents": table.get("agents"),
        "seed": settings.get("seed"),
        "status": table.get("status"),
        "contract": contract.get("hash"),
    }


def _of_conversation(state: Mapping[str, Any]) -> dict[str, Any]:
    run, outcome = state.get("run"), state.get("outcome")
    if not (run and isinstance(outcome, Mapping) and "episode" in outcome):
        return {}
    # The conversation forgets the game's name after the settlement.
    played = state.get("game") or outcome
    return {"run": run, "game": game_name(played["game"]), "episode": outcome["episode"]}


async def label(thread: str, table: Mapping[str, Any], written: Iterable[str]) -> None:
    """Update a thread's labels if the checkpoint wrote a key that labels depend on."""
    changed = _FROM.intersection(written)
    if not changed or not (found := labels(table)):
        return
    if late := _late.pop(thread, None):
        late.cancel()
    if changed <= _LATER:
        loop = asyncio.get_running_loop()
        _late[thread] = loop.call_later(SOON, _begin, thread, found)
    else:
        await _update(thread, found)


def _begin(thread: str, found: dict[str, Any]) -> None:
    del _late[thread]
    telling = asyncio.create_task(_update(thread, found))
    _telling.add(telling)
    telling.add_done_callback(_telling.discard)


async def _update(thread: str, found: dict[str, Any]) -> None:
    try:
        await inside().threads.update(thread, metadata=found)
    except httpx.HTTPError as error:
        # Labels only serve searches, so an error here does not stop the run.
        logger.warning("Thread %s could not be labelled: %s", thread, type(error).__name__)
