"""Ctrl-C and SIGTERM in commands that play runs.

The first signal lets the calls in flight end; a second one breaks them off. If nothing is being
played, for example because a person is asked, the first signal ends the command.
"""

import asyncio
import signal
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from shapley_coop.cli.console import note

Result = TypeVar("Result")

STOPPING = "stopping when the calls in flight are answered; a second Ctrl-C breaks them off"

received: list[int] = []
"""The signals that this process has received while it worked."""


def exit_code() -> int:
    """Return the exit code that shells use for the last signal: 130, or 143 after SIGTERM."""
    return 128 + (received[-1] if received else signal.SIGINT)


def run_stoppable(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end, as `asyncio.run` does.

    Raises:
        KeyboardInterrupt: a signal ended the work early.
    """
    from langgraph.errors import GraphDrained

    before = len(received)
    try:
        return asyncio.run(_watched(work))
    except (GraphDrained, asyncio.CancelledError):
        if len(received) == before:
            raise
        raise KeyboardInterrupt from None


async def _watched(work: Coroutine[Any, Any, Result]) -> Result:
    """Await the work while both signals are handled, which only a main thread can do."""
    loop, task, before = asyncio.get_running_loop(), asyncio.current_task(), len(received)

    def hear(by: int, _frame: Any) -> None:
        received.append(by)
        count = len(received) - before
        if count > 2:  # the loop itself does not react
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(_stop, task, count == 1)

    in_main = threading.current_thread() is threading.main_thread()
    heard = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM) if in_main}
    # A signal that is ignored, as under nohup, stays ignored.
    heard = {one: handler for one, handler in heard.items() if handler != signal.SIG_IGN}
    for one in heard:
        signal.signal(one, hear)
    try:
        return await work
    finally:
        for one, handler in heard.items():
            signal.signal(one, handler)


def _stop(task: "asyncio.Task[Any] | None", gently: bool) -> None:
    """Ask the runs of this loop to stop or, if none advances, cancel the work."""
    from shapley_coop.seats.clients import clients_here

    stopping = clients_here().stopping
    if gently and stopping.gentle and stopping.playing:
        stopping.ask(signal.Signals(received[-1]).name)
        note(STOPPING)
    elif task:
        task.cancel()
