"""The batcher, which makes all blocking calls that wait in an event loop in one thread switch."""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from contextvars import Context
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

Call = TypeVar("Call")
Done = TypeVar("Done")
Work = Callable[[Sequence[Call]], Sequence[Done | Exception]]


class ThreadBatcher(Generic[Call, Done]):
    """A runner of blocking calls in batches; calls that arrive during a batch form the next batch.

    Switching to a thread and back costs more than most writes. No call waits for others to come: if
    no batch is running, the next one starts in the event loop's next iteration.

    Args:
        work: a function for a worker thread: (calls) → the result or error of each, in order.
    """

    def __init__(self, work: Work[Call, Done]) -> None:
        self._work = work
        self._waiting: list[tuple[Call, asyncio.Future[Done]]] = []
        self._working: asyncio.Task[None] | None = None

    async def do(self, call: Call) -> Done:
        """Make one call in a batch, without the caller's context variables, and return its result.

        If the caller is cancelled, the call is still made, and its result is discarded.

        Raises:
            Exception: the error that `work` returned for the call or raised for the batch.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Done] = loop.create_future()
        self._waiting.append((call, done))
        if self._working is None:
            self._working = loop.create_task(self._work_on(), context=Context())
        return await done

    async def drained(self) -> None:
        """Wait until no batch is running."""
        if self._working:
            await self._working

    async def _work_on(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting, []
            calls = [call for call, _ in batch]
            results: Sequence[Done | Exception]
            try:
                working = loop.run_in_executor(None, self._work, calls)
                while not working.done():
                    # Wait even if the program's end cancels this task: the thread still works.
                    with suppress(asyncio.CancelledError):
                        await asyncio.wait([working])
                results = working.result()
            except Exception as error:
                results = [error] * len(batch)
            for (_, done), result in zip(batch, results, strict=True):
                if done.done():  # the caller was cancelled
                    continue
                if isinstance(result, Exception):
                    done.set_exception(result)
                else:
                    done.set_result(result)
        self._working = None


def call_each(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Return the result or error of each call, in order."""
    results: list[Any] = []
    for call in calls:
        try:
            results.append(call())
        except Exception as error:
            results.append(error)
    return results


_batchers: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, ThreadBatcher[Any, Any]]] = (
    WeakKeyDictionary()
)


def batcher_of(database: Hashable, work: Work[Call, Done]) -> ThreadBatcher[Call, Done]:
    """Return the batcher of the current event loop and a database; `work` makes its calls."""
    batchers = _batchers.setdefault(asyncio.get_running_loop(), {})
    return batchers.setdefault(database, ThreadBatcher(work))
