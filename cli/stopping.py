"""Ctrl-C and SIGTERM in commands that play runs.

The first signal lets the calls in flight end; a second one breaks them off. If nothing is being
played, for example because a person is asked, the first signal ends the command.
"""

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from shapley_coop.cli.console import note

Result = TypeVar("Result")

STOPPING = "stopping when the calls in flight are answered; a second Ctrl-C breaks them off"

received: list[int] = []
"""The signals that this process has received while it worked."""


class Stopped(KeyboardInterrupt):
    """The exception raised in place of `KeyboardInterrupt` when a signal has ended the work.

    Attributes:
        code: the exit code that shells use for the signal: 130 or 143.
    """

    def __init__(self, by: int) -> None:
        super().__init__(signal.Signals(by).name)
        self.code = 128 + by


def run_stoppable(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end, as `asyncio.run` does.

    Raises:
        Stopped: a signal ended the work early.
    """
    from langgraph.errors import GraphDrained

    before = len(received)
    try:
        return asyncio.run(_watched(work))
    except (GraphDrained, asyncio.CancelledError):
        if len(received) == before:
            raise
        raise Stopped(received[-1]) from None


async def _watched(work: Coroutine[Any, Any, Result]) -> Result:
    loop, task, first = asyncio.get_running_loop(), asyncio.current_task(), len(received)

    def hear(by: int, _frame: Any) -> None:
        received.append(by)
        if len(received) - first > 2:  # the loop itself does not react
            raise Stopped(by)
        loop.call_soon_threadsafe(_stop, task, len(received) - first == 1)

    with _handled(hear):
        return await work


def _stop(task: "asyncio.Task[Any] | None", gently: bool) -> None:
    """Ask the runs of this loop to stop or, if none advances, cancel the work."""
    from shapley_coop.seats.clients import clients_here

    stopping = clients_here().stopping
    if gently and stopping.gentle and stopping.playing:
        stopping.ask(signal.Signals(received[-1]).name)
        note(STOPPING)
    elif task:
        task.cancel()


@contextmanager
def _handled(hear: Any) -> Iterator[None]:
    """Handle both signals in a `with` block; only a main thread can."""
    before: dict[int, Any] = {}
    try:
        for one in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(one) != signal.SIG_IGN:  # as under nohup, or in a script's job
                before[one] = signal.signal(one, hear)
    except ValueError:  # another thread than the main one
        pass
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
