"""Runs the blocking calls of an event loop in a thread, all that wait in one batch."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

Call = TypeVar("Call")
Done = TypeVar("Done")
Work = Callable[[Sequence[Call]], Sequence[Done | Exception]]


class ThreadBatcher(Generic[Call, Done]):
    """Runs one batch at a time; calls that come meanwhile form the next batch.

    Switching to a thread and back costs more than most writes. No call is delayed on purpose: if
    no batch is running, a call starts at once, with all others of the same step of the loop.

    Args:
        work: makes all calls in their order, in a thread; returns a result or an error for each.
    """

    def __init__(self, work: Work[Call, Done]) -> None:
        self._work = work
        self._waiting: list[tuple[Call, asyncio.Future[Done]]] = []
        self._busy = False
        self._working: asyncio.Future[Sequence[Done | Exception]] | None = None

    async def do(self, call: Call) -> Done:
        """Make one call; the caller's context variables are not set where it is made.

        Cancelling the caller does not cancel the call; its result is discarded.

        Raises:
            Exception: the error that `work` returned for it, or raised for the batch.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Done] = loop.create_future()
        self._waiting.append((call, done))
        if not self._busy:
            self._busy = True
            loop.call_soon(self._begin)
        return await done

    async def drained(self) -> None:
        """Wait until no batch is running."""
        while self._busy:
            await (asyncio.wait([self._working]) if self._working else asyncio.sleep(0))

    def _begin(self) -> None:
        batch, self._waiting = self._waiting, []
        self._busy, self._working = bool(batch), None
        if not batch:
            return
        calls, loop = [call for call, _ in batch], asyncio.get_running_loop()
        try:
            self._working = loop.run_in_executor(None, self._work, calls)
        except RuntimeError as error:  # no thread can be started
            _resolve(batch, [error] * len(batch))
            self._begin()
        else:
            self._working.add_done_callback(partial(self._end, batch))

    def _end(
        self,
        batch: Sequence[tuple[Call, asyncio.Future[Done]]],
        working: asyncio.Future[Sequence[Done | Exception]],
    ) -> None:
        results: Sequence[Done | Exception]
        try:
            results = working.result()
        except Exception as error:
            results = [error] * len(batch)
        _resolve(batch, results)
        self._begin()


_batchers: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, ThreadBatcher[Any, Any]]] = (
    WeakKeyDictionary()
)


def batched(work: Work[Call, Done]) -> ThreadBatcher[Call, Done]:
    """This event loop's one batcher for some work."""
    batchers = _batchers.setdefault(asyncio.get_running_loop(), {})
    if work not in batchers:
        batchers[work] = ThreadBatcher(work)
    return batchers[work]


def _resolve(
    batch: Sequence[tuple[Call, asyncio.Future[Done]]], results: Sequence[Done | Exception]
) -> None:
    for (_, done), result in zip(batch, results, strict=True):
        if done.done():  # its caller was cancelled
            continue
        if isinstance(result, Exception):
            done.set_exception(result)
        else:
            done.set_result(result)
