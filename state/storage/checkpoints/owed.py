"""What a saver keeps a moment later, all of a thread together: each by itself takes longer.

That is checkpoints, and what tasks wrote, most of which need not be kept once there is a checkpoint
made of it. Whoever reads a thread reads all of it. A process that is killed meanwhile goes on from
an earlier step, as after a power cut: what was answered and paid is kept apart from it, at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
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
"""Seconds that what is owed waits for the steps after it."""

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
    """

    at: RunnableConfig
    writes: Sequence[tuple[str, Any]]
    task: str
    path: str

    @property
    def ends_its_run(self) -> bool:
        """Whether a run stops at it, for people or an error, so that no checkpoint follows soon."""
        return any(channel in WRITES_IDX_MAP for channel, _ in self.writes)

    def leads_to(self, config: RunnableConfig) -> bool:
        """Whether a checkpoint of this configuration is made of it."""
        here, there = self.at["configurable"], config["configurable"]
        follows = all(here.get(key) == there.get(key) for key in _PLACE)
        return follows and not self.ends_its_run

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
        keep_all: keeps what is owed to one thread: all of it, or nothing.
    """

    def __init__(self, keep_all: Callable[[Sequence[Written | Put]], Awaitable[object]]) -> None:
        self._keep_all = keep_all
        self._owed: dict[str, list[Written | Put]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._keeping: dict[str, asyncio.Task[None]] = {}
        self._failed: set[str] = set()

    def add(self, one: Written | Put) -> None:
        """Hold writes, or a checkpoint, until the thread is read, or for a moment."""
        thread = thread_of(one.at)
        self._owed.setdefault(thread, []).append(one)
        self._linger(thread)

    def is_urgent(self, thread: str, metadata: CheckpointMetadata) -> bool:
        """Whether a checkpoint of a thread should be kept before anything else happens.

        So is one that nothing else tells of: new input on a thread that was played before, and what
        somebody edits. Others wait only until too much is owed, or something could not be kept.
        """
        if metadata.get("source") != "loop" and metadata.get("step", -1) >= 0:
            return True
        return thread in self._failed or sum(map(len, self._owed.values())) >= MOST

    async def keep(self, thread: str) -> None:
        """Keep all that is owed to a thread; whoever is cancelled meanwhile does not stop it.

        Raises:
            Exception: it cannot be kept, and is owed still.
        """
        owed = self._owed.get(thread)
        last = owed[-1] if owed else None
        while last in self._owed.get(thread, ()):  # not what its run adds meanwhile
            await asyncio.shield(self._kept(thread))

    async def keep_for(self, config: RunnableConfig | None) -> None:
        """Keep what is owed to the thread that is listed; to all, where none is named."""
        await (self.keep(thread) if (thread := thread_of(config)) else self.drained())

    async def drop(self, thread: str) -> None:
        """Owe a thread nothing more."""
        if keeping := self._keeping.get(thread):
            await asyncio.wait([keeping])
        self._owed.pop(thread, None)
        self._failed.discard(thread)

    async def drained(self) -> None:
        """Keep all that is owed.

        Raises:
            Exception: that of a thread cannot be kept; all others' is.
        """
        came = await asyncio.gather(*map(self.keep, [*self._owed]), return_exceptions=True)
        for wrong in came:
            if isinstance(wrong, BaseException):
                raise wrong

    def _linger(self, thread: str) -> None:
        if thread not in self._timers:
            loop = asyncio.get_running_loop()
            self._timers[thread] = loop.call_later(LINGER, self._keep_soon, thread)

    def _keep_soon(self, thread: str) -> None:
        del self._timers[thread]
        if self._owed.get(thread):
            self._kept(thread)

    def _kept(self, thread: str) -> asyncio.Task[None]:
        """The one task that keeps what is owed to a thread now."""
        if thread not in self._keeping:
            self._keeping[thread] = asyncio.create_task(self._keep_now(thread))
            self._keeping[thread].add_done_callback(_look_at)
        return self._keeping[thread]

    async def _keep_now(self, thread: str) -> None:
        owed = tuple(self._owed[thread])
        if timer := self._timers.pop(thread, None):
            timer.cancel()
        try:
            await self._keep_all(owed)
        except BaseException:
            self._failed.add(thread)  # its next step is told, and whoever reads it
            raise
        else:
            self._failed.discard(thread)
            del self._owed[thread][: len(owed)]
            if self._owed[thread]:
                self._linger(thread)
            else:
                del self._owed[thread]
        finally:
            del self._keeping[thread]


def _look_at(done: asyncio.Task[None]) -> None:
    """Look at a task's error, which asyncio would log, were nobody waiting for it."""
    if not done.cancelled():
        done.exception()


def thread_of(config: RunnableConfig | None) -> str:
    """The thread that a configuration names; empty if it names none."""
    return str(config["configurable"].get("thread_id", "")) if config else ""
