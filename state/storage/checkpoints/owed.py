"""What a saver has not kept yet: writes of tasks, and of a play also checkpoints.

Most of what tasks write need not be kept once the checkpoint made of it is.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import WRITES_IDX_MAP, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.base import SerializerProtocol

LINGER = 0.05
"""Seconds that a task's writes wait for the checkpoint after them, which mostly comes at once.

As long at most the checkpoints of a play wait for those of the next steps.
"""

MOST_WAITING = 32
"""Threads whose checkpoints wait at the same time."""

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
class Made:
    """A checkpoint that is not kept yet.

    Attributes:
        config: of the one before it.
        checkpoint: what is kept.
        metadata: about it.
    """

    config: RunnableConfig
    checkpoint: Checkpoint
    metadata: CheckpointMetadata


Due = Written | Made


def in_order(owed: Sequence[Due]) -> Iterator[tuple[Due, Made | None]]:
    """What is owed, and beside writes the checkpoint made of them, if that is owed as well."""
    after: Made | None = None
    found = list[tuple[Due, Made | None]]()
    for one in reversed(owed):
        if isinstance(one, Made):
            after = one
        found.append((one, after if after and _in(one, after) else None))
    return reversed(found)


def _in(one: Due, made: Made) -> bool:
    return isinstance(one, Written) and one.leads_to(made.config)


class Owed:
    """What a saver has not kept yet, thread by thread, in order.

    Args:
        keep: keeps all that is owed to a thread.
    """

    def __init__(self, keep: Callable[[str], Awaitable[object]]) -> None:
        self._keep = keep
        self._owed: dict[str, list[Due]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._flushing: set[asyncio.Task[None]] = set()
        self._playing: set[str] = set()
        self._failed: set[str] = set()

    @asynccontextmanager
    async def playing(self, thread: str) -> AsyncIterator[None]:
        """Keep the checkpoints of a play together with those of its next steps.

        What a kill takes is played again: what was asked is answered from the journal, and what
        was paid is there already. All is kept when the block ends.

        Raises:
            Exception: something could not be kept.
        """
        self._playing.add(thread)
        try:
            yield
        finally:
            self._playing.discard(thread)
            if thread in self._owed:
                await self._keep(thread)

    def waits(self, thread: str) -> bool:
        """Whether a thread's checkpoints may be kept with later ones: not after one could not.

        Nor where many threads' wait: what is kept for all of them at once costs little, and what
        waits is memory.
        """
        held = thread in self._playing and thread not in self._failed
        return held and len(self._owed) <= MOST_WAITING

    def add(self, one: Due) -> None:
        """Hold writes, or a play's checkpoint, until what is called next for their thread.

        After writes that is mostly the checkpoint of the same step. Where none follows, because
        others of the step are still asked, they are kept by themselves soon.
        """
        thread = thread_of(one.config if isinstance(one, Made) else one.at)
        self._owed.setdefault(thread, []).append(one)
        if thread not in self._timers:
            loop = asyncio.get_running_loop()
            self._timers[thread] = loop.call_later(LINGER, self._flush_soon, thread)

    def of(self, thread: str) -> tuple[Due, ...]:
        """What is owed to a thread, and is kept now."""
        if timer := self._timers.pop(thread, None):
            timer.cancel()
        return tuple(self._owed.get(thread, ()))

    def over(self, thread: str, owed: Sequence[Due]) -> None:
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
        owed: list[Due] = [
            replace(one, whole=True) if isinstance(one, Written) and not made else one
            for one, made in in_order(self._owed.get(thread, ()))
        ]
        self._owed[thread] = owed
        try:
            await self._keep(thread)
        except Exception:  # whoever calls next makes them again, and is told
            self._owed[thread] = [*owed, *self._owed.get(thread, ())]
            self._failed.add(thread)
        else:
            self._failed.discard(thread)


def thread_of(config: RunnableConfig | None) -> str:
    """The thread that a configuration names; empty if it names none."""
    return str(config["configurable"].get("thread_id", "")) if config else ""
