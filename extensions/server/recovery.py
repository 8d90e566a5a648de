"""The recovery after a kill, which restores the threads missing from the server's list.

LangGraph's development server saves its list of threads and runs only every ten seconds and at
shutdown, but it saves checkpoints at every step. So after a kill, a thread's last checkpoint may
name a run that the list lacks. `recover` restores that thread, and asks people its open questions
again. The server itself restarts the runs on the list. With Postgres the list is always complete.
"""

import asyncio
import logging
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import CheckpointTuple
from langgraph_sdk.errors import NotFoundError

from shapley_coop.extensions.server.serving.in_process import (
    GOES_ON,
    OWNER,
    go_on,
    inside,
    owner_in,
)
from shapley_coop.extensions.server.serving.labels import labels
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.home import home

logger = logging.getLogger(__name__)

NOTES = Path(".langgraph_api") / "at_work"
"""A file beside the development server's list of threads, with a line for each note of a thread."""

EVERY = 5.0
"""Seconds between two notes of the same active thread."""

BACK = 60.0
"""Only threads noted at most this many seconds before the newest note can be lost threads."""

_noted: dict[str, float] = {}


async def note(thread: str) -> None:
    """Record that a thread is active, so that `recover` can find it after a kill."""
    now = time.time()
    if now - _noted.get(thread, 0) < EVERY:
        return
    if len(_noted) > 10_000:
        _noted.clear()
    _noted[thread] = now
    await asyncio.to_thread(_write, [(now, thread)], "a")


async def recover() -> None:
    """Restore lost threads: ask people with open questions again, and reuse stored answers."""
    if not (last := await asyncio.to_thread(_last_active)):
        return
    async with saver(home()) as kept:
        places: list[Any] = [{"configurable": {"thread_id": t, "checkpoint_ns": ""}} for t in last]
        # A fault of one thread, such as an unreadable checkpoint, must not stop the others.
        heads = await asyncio.gather(*map(kept.aget_tuple, places), return_exceptions=True)
    for thread, head in zip(last, heads, strict=True):
        try:
            if isinstance(head, BaseException):
                raise head
            if head is None or not {"assistant_id", "run_id"} <= head.metadata.keys():
                continue
            if not await _listed(thread, head):
                await _restore(thread, head)
        except Exception as error:
            why = type(error).__name__  # the error's message may contain private text
            logger.warning("Thread %s is not restored: %s", thread, why)
    await asyncio.to_thread(_write, [(at, thread) for thread, at in last.items()], "w")


async def _listed(thread: str, head: CheckpointTuple) -> bool:
    """Return whether the server's list has the run that wrote a checkpoint (`head`)."""
    about: Any = head.metadata
    try:
        await inside().runs.get(thread, about["run_id"])
    except NotFoundError:
        return False
    return True


async def _restore(thread: str, head: CheckpointTuple) -> None:
    # Clients can write other metadata; only owner and assistant come from the server.
    about: Any = head.metadata
    client, named = inside(), {key: about[key] for key in (OWNER, "assistant_id") if key in about}
    await client.threads.create(
        thread_id=thread, graph_id=about["graph_id"], metadata=named, if_exists="do_nothing"
    )
    # Cancel runs older than the lost run: as they are listed, the server would restart them.
    for run in await client.runs.list(thread, status="pending"):
        if _time(run["created_at"]) < _time(head.checkpoint["ts"]):
            await client.runs.cancel(thread, run["run_id"])
    state: Any = await client.threads.get_state(thread)
    await client.threads.update(thread, metadata=labels(state["values"]))
    # Runs that clients started are not resumed, because a client may have set a breakpoint.
    if state["interrupts"] or (state["next"] and GOES_ON in about):
        await go_on(thread, about["assistant_id"], owner_in(about))
    logger.warning("Thread %s is restored: its last run was missing from the list", thread)


def _last_active() -> dict[str, float]:
    """Return thread → its last note, for threads active shortly before the last server ended."""
    text = NOTES.read_text(encoding="utf-8") if NOTES.is_file() else ""
    # A kill may have cut off the last note's line.
    noted = [line.partition(" ") for line in text.split("\n")[:-1]]
    times = {thread: float(at) for at, _, thread in noted}
    return {thread: at for thread, at in times.items() if at > max(times.values()) - BACK}


def _write(notes: list[tuple[float, str]], mode: str) -> None:
    if NOTES.parent.is_dir():
        with NOTES.open(mode, encoding="utf-8") as file:
            file.writelines(f"{at:.1f} {thread}\n" for at, thread in notes)


def _time(moment: Any) -> datetime:
    return moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)
