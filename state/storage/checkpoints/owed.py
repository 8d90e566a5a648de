"""What a saver keeps a moment later, all of a thread together: each by itself takes longer.

That is checkpoints, and what tasks wrote, most of which need not be kept once there is a checkpoint
made of it. Whoever reads a thread reads all of it. A process that is killed meanwhile goes on from
an earlier step, as after a power cut: what was answered and paid is kept apart from it, at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

LINGER = 0.5
"""Seconds that what is owed waits for what comes after it: steps in which nobody thinks."""

MOST = 128
"""Of all threads, from which on a step waits for what is owed to its own: memory is bounded."""

_PLACE = ("checkpoint_ns", "checkpoint_id")


@dataclass(frozen=True, eq=False)
class Written:
    """What a task wrote, and is not kept yet.

    Attributes:
        at: the checkpoint at which the task began.
        writes: channel and value, in order.
        task: its id.
        path: its place among the tasks of its step.
        whole: whether it is being kept without a checkpoint after it.
    """

    at: RunnableConfig
    writes: Sequence[tuple[str, Any]]
    task: str
    path: str
    whole: bool = False

    def leads_to(self, config: RunnableConfig) -> bool:
        """Whether a checkpoint of this configuration is made of it, and of nothing kept before."""
        here, there = self.at["configurable"], config["configurable"]
        follows = all(here.get(key) == there.get(key) for key in _PLACE)
        return follows and not self.whole and not any(w[0] in WRITES_IDX_MAP for w in self.writes)

    def beside(self, checkpoint: Checkpoint, serde: SerializerProtocol) -> list[tuple[Any, ...]]:
        """The rows of what the next checkpoint does not hold: additions to a `DeltaChannel`.

        They are no task's any more, so that the task is done again if that checkpoint is taken
        back.
        """
        place, held = self.at["configurable"], checkpoint["channel_values"]
        at = (place["thread_id"], *(place[key] for key in _PLACE), f"{self.task}+", self.path)
        return [
            (*at, number, channel, *serde.dumps_typed(value))
            for number, (channel, value) in enumerate(self.writes)
            if channel not in held
        ]


@dataclass(frozen=True, eq=False)
class Put:
    """A checkpoint that is not kept yet.

    Attributes:
        at: the checkpoint before it.
        checkpoint: what is to be kept.
        metadata: its metadata.
        versions: of the channels that are new.
    """

    at: RunnableConfig
    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    versions: ChannelVersions

    @property
    def config(self) -> RunnableConfig:
        """What names it, once it is kept and before."""
        place = self.at["configurable"]
        names = {"thread_id": place["thread_id"], "checkpoint_ns": place.get("checkpoint_ns", "")}
        return {"configurable": {**names, "checkpoint_id": self.checkpoint["id"]}}


def made_of(written: Written, owed: Sequence[Written | Put]) -> Checkpoint | None:
    """The checkpoint that is made of what a task wrote, if it is among what is owed with it."""
    puts = (one for one in owed if isinstance(one, Put))
    return next((one.checkpoint for one in puts if written.leads_to(one.at)), None)


class Owed:
    """What a saver has not kept yet, thread by thread, in order.

    Args:
        keep: keeps all that is owed to a thread.
    """

    def __init__(self, keep: Callable[[str], Awaitable[object]]) -> None:
        self._keep = keep
        self._owed: dict[str, list[Written | Put]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._flushing: set[asyncio.Task[None]] = set()

    def add(self, one: Written | Put) -> None:
        """Hold writes, or a checkpoint, until the thread is read, or for a moment."""
        thread = thread_of(one.at)
        self._owed.setdefault(thread, []).append(one)
        if thread not in self._timers:
            loop = asyncio.get_running_loop()
            self._timers[thread] = loop.call_later(LINGER, self._flush_soon, thread)

    @property
    def full(self) -> bool:
        """Whether no more should wait."""
        return sum(map(len, self._owed.values())) >= MOST

    def of(self, thread: str) -> tuple[Written | Put, ...]:
        """What is owed to a thread, and is kept now."""
        if timer := self._timers.pop(thread, None):
            timer.cancel()
        return tuple(self._owed.get(thread, ()))

    def over(self, thread: str, owed: Sequence[Written | Put]) -> None:
        """That was kept, or its caller was told why not."""
        later = [one for one in self._owed.pop(thread, ()) if one not in owed]
        if later:
            self._owed[thread] = later

    async def drained(self) -> None:
        """Keep all that is owed.

        Raises:
            Exception: it cannot be kept.
        """
        for thread in tuple(self._owed):
            await self._keep(thread)

    def _flush_soon(self, thread: str) -> None:
        flushing = asyncio.create_task(self._flush(thread))
        self._flushing.add(flushing)
        flushing.add_done_callback(self._flushing.discard)

    async def _flush(self, thread: str) -> None:
        held = self._owed.get(thread, ())
        owed = self._owed[thread] = [
            replace(one, whole=True)
            if isinstance(one, Written) and made_of(one, held) is None
            else one
            for one in held
        ]
        try:
            await self._keep(thread)
        except Exception:  # whoever calls next makes them again, and is told
            self._owed[thread] = [*owed, *self._owed.get(thread, ())]


def thread_of(config: RunnableConfig | None) -> str:
    """The thread that a configuration names; empty if it names none."""
    return str(config["configurable"].get("thread_id", "")) if config else ""
