"""Calls of asynchronous code from synchronous code, even inside a running event loop.

>>> import asyncio
>>> async def double(number: int) -> int:
...     await asyncio.sleep(0)
...     return 2 * number
>>> run_blocking(double(21))
42
"""

import asyncio
import contextvars
import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import suppress
from typing import Any, TypeVar, cast

Given = TypeVar("Given")
Result = TypeVar("Result")


def run_blocking(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end and return its result.

    The coroutine runs on the loop of one daemon thread per process. So a notebook or a server
    with a running loop can call this function. The coroutine gets a copy of the caller's context
    variables. If the caller is interrupted, the coroutine is cancelled.

    Raises:
        RuntimeError: the call comes from that daemon thread's loop, and would wait for ever.
        BaseException: the exception that the coroutine raises.
    """
    if threading.current_thread() is _background.thread:
        coroutine.close()
        raise RuntimeError("run_blocking was called from its own event loop: await instead")
    # The loop's `call_soon_threadsafe` copies this thread's context for the task.
    future = asyncio.run_coroutine_threadsafe(coroutine, _background.loop())
    try:
        return future.result()
    finally:
        future.cancel()  # this has no effect on a finished future


def iterate_blocking(parts: AsyncGenerator[Result]) -> Iterator[Result]:
    """Iterate over an asynchronous generator, whose steps `run_blocking` runs.

    Each step runs the generator to its next item. If the caller stops early, the generator closes.
    """
    ended = object()

    async def following() -> Result | object:
        return await anext(parts, ended)

    try:
        while (part := run_blocking(following())) is not ended:
            yield cast(Result, part)
    finally:
        run_blocking(parts.aclose())


class _Background:
    """The event loop of the process in a daemon thread, started at its first use."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.thread: threading.Thread | None = None

    def loop(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self.thread = threading.Thread(
                    target=self._loop.run_forever, name="shapley-coop-blocking", daemon=True
                )
                self.thread.start()
            return self._loop


_background = _Background()

# A forked child inherits this object but not its thread, so the child starts afresh.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_background.__init__)  # type: ignore[misc]


async def apart(call: Callable[[Given], Result], given: Given) -> Result:
    """Call a function in a daemon thread, so that a call that never ends cannot delay the exit.

    >>> asyncio.run(apart(str.upper, "yes"))
    'YES'

    Raises:
        BaseException: the exception that the call raises.
    """
    loop = asyncio.get_running_loop()
    found = loop.create_future()

    def settle(how: Callable[[Any], None], what: Any) -> None:
        if not found.done():
            how(what)

    def tell(how: Callable[[Any], None], what: Any) -> None:
        with suppress(RuntimeError):  # the loop was closed, and no caller waits
            loop.call_soon_threadsafe(settle, how, what)

    def run() -> None:
        try:
            tell(found.set_result, call(given))
        except BaseException as error:
            tell(found.set_exception, error)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(run,), daemon=True).start()
    outcome: Result = await found
    return outcome
