"""After a kill: threads that only the checkpoints know are brought back, and people asked again.

LangGraph's development server writes its list of threads and runs every ten seconds and when it
ends; checkpoints are written at every step. What a killed server had not written down yet is
found here: a run that a thread's last checkpoint names and the list does not know. Runs that are
on the list the server takes up itself, and one that keeps its list in Postgres never lacks any.
"""

import asyncio
import logging
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
from langgraph.checkpoint.base import CheckpointTuple
from langgraph_sdk.errors import NotFoundError

from shapley_coop.serve.server.in_process import GOES_ON, OWNER, inside
from shapley_coop.serve.server.labels import labels
from shapley_coop.state import home, saver

logger = logging.getLogger(__name__)

NOTES = Path(".langgraph_api") / "at_work"
"""Beside the development server's list: which thread was at work when, a line each."""

EVERY = 5.0
"""Seconds after which a thread that is still at work is noted again."""

BACK = 60.0
"""Seconds before the last note of a life within which all that it lost was at work."""

_noted: dict[str, float] = {}


async def note(thread: str) -> None:
    """Note that a thread is at work."""
    now = time.time()
    if now - _noted.get(thread, 0) < EVERY:
        return
    if len(_noted) > 10_000:
        _noted.clear()
    _noted[thread] = now
    await asyncio.to_thread(_write, [(now, thread)], "a")


async def recover() -> None:
    """Bring lost threads back: people are asked again, and their answers acted on."""
    if not (last := await asyncio.to_thread(_last_at_work)):
        return
    async with saver(home()) as kept:
        places: list[Any] = [{"configurable": {"thread_id": t, "checkpoint_ns": ""}} for t in last]
        heads = [await kept.aget_tuple(place) for place in places]
    for thread, head in zip(last, heads, strict=True):
        if head is None or not {"assistant_id", "run_id"} <= head.metadata.keys():
            continue
        try:
            if not await _listed(thread, head):
                await _bring_back(thread, head)
        except httpx.HTTPStatusError as error:
            # Its workflow or assistant is gone; the server is there for all the others.
            logger.warning("Thread %s is not back: %s", thread, error)
    await asyncio.to_thread(_write, [(at, thread) for thread, at in last.items()], "w")


async def _listed(thread: str, head: CheckpointTuple) -> bool:
    """Whether the run that made this checkpoint is on the list."""
    about: Any = head.metadata
    try:
        await inside().runs.get(thread, about["run_id"])
    except NotFoundError:
        return False
    return True


async def _bring_back(thread: str, head: CheckpointTuple) -> None:
    # The metadata holds what clients wrote as well; owner and assistant the server wrote last.
    about: Any = head.metadata
    client, named = inside(), {key: about[key] for key in (OWNER, "assistant_id") if key in about}
    await client.threads.create(
        thread_id=thread, graph_id=about["graph_id"], metadata=named, if_exists="do_nothing"
    )
    # The server takes up again what its list calls running; the lost run came after that.
    for run in await client.runs.list(thread, status="pending"):
        if _time(run["created_at"]) < _time(head.checkpoint["ts"]):
            await client.runs.cancel(thread, run["run_id"])
    state: Any = await client.threads.get_state(thread)
    await client.threads.update(thread, metadata=labels(state["values"]))
    # Anything else may have been meant to stop where it is.
    if state["interrupts"] or (state["next"] and GOES_ON in about):
        more: Any = {"input": None, "metadata": {GOES_ON: True}, "durability": "sync"}
        await client.runs.create(thread, about["assistant_id"], **more)
    logger.warning("Thread %s is back: its last run was not written down", thread)


def _last_at_work() -> dict[str, float]:
    """The threads that were at work towards the end of the last life, and when."""
    text = NOTES.read_text(encoding="utf-8") if NOTES.is_file() else ""
    # A kill may have cut the last line short.
    noted = [line.partition(" ") for line in text.split("\n")[:-1]]
    times = {thread: float(at) for at, _, thread in noted}
    return {thread: at for thread, at in times.items() if at > max(times.values()) - BACK}


def _write(notes: list[tuple[float, str]], mode: str) -> None:
    if NOTES.parent.is_dir():
        with NOTES.open(mode, encoding="utf-8") as file:
            file.writelines(f"{at:.1f} {thread}\n" for at, thread in notes)


def _time(moment: Any) -> datetime:
    return moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)
