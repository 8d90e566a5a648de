"""Graceful stops: the calls in flight are answered and recorded, and nothing new is begun.

LangGraph's `RunControl` ends a graph before its next step. Everything that waits before a call,
such as a sweep's gate, asks here whether the call may still be made.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl


class Stopping:
    """The request to stop of one event loop, and the number of runs that advance in it.

    All runs of the loop share one control, which stays drained: a run begun later stops at once.

    Attributes:
        control: LangGraph's control of these runs.
        playing: the number of runs that are advancing.
        gentle: whether calls are awaited; False if they take hours and survive, as in batches.
    """

    def __init__(self) -> None:
        self.control, self.playing, self.gentle = RunControl(), 0, True
        self._asked = asyncio.Event()

    @property
    def asked(self) -> bool:
        """Whether the runs were asked to stop."""
        return self.control.drain_requested

    def ask(self, why: str) -> None:
        """Ask all runs to stop before their next step, and all that waits for a call to give up."""
        self.control.request_drain(why)
        self._asked.set()

    def check(self) -> None:
        """Check, before a call, that the runs were not asked to stop.

        Raises:
            GraphDrained: they were.
        """
        if self.asked:
            raise GraphDrained(self.control.drain_reason or "")

    async def sleep(self, seconds: float) -> None:
        """Wait before a call; see `check` for the exception."""
        try:
            await asyncio.wait_for(self._asked.wait(), seconds)
        except TimeoutError:
            return
        self.check()

    @contextmanager
    def advancing(self) -> Iterator[RunControl]:
        """Count a run that advances in a `with` block; yield its control."""
        self.playing += 1
        try:
            yield self.control
        finally:
            self.playing -= 1
