"""Blocking calls of an event loop, run in a thread together: one hop for all that wait."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

Call = TypeVar("Call")
Done = TypeVar("Done")
Work = Callable[[Sequence[Call]], Sequence[Done | Exception]]


class ThreadBatcher(Generic[Call, Done]):
    """One lane to a thread: what comes while it is under way goes together the next time.

    A hop to a thread and back costs more than most writes do. Nobody waits for anybody on
    purpose: where nothing is under way, a call goes at once, with all that come in the same step
    of the loop.

    Args:
        work: does all calls in their order, in a thread; returns for each what came of it.
    """

    def __init__(self, work: Work[Call, Done]) -> None:
        self._work = work
        self._waiting: list[tuple[Call, asyncio.Future[Done]]] = []
        self._lane: asyncio.Task[None] | None = None

    async def do(self, call: Call) -> Done:
        """Have one call done.

        Cancelling the caller does not cancel the call; its result is discarded.

        Raises:
            Exception: what `work` returned for it, or raised for all.
        """
        done: asyncio.Future[Done] = asyncio.get_running_loop().create_future()
        self._waiting.append((call, done))
        if self._lane is None:
            self._lane = asyncio.create_task(self._go())
        return await done

    async def over(self) -> None:
        """Wait until nothing is under way."""
        while self._lane is not None:
            await asyncio.wait([self._lane])

    async def _go(self) -> None:
        try:
            while self._waiting:
                going, self._waiting = self._waiting, []
                _tell(going, await self._hop([call for call, _ in going]))
        finally:
            self._lane = None

    async def _hop(self, calls: list[Call]) -> Sequence[Done | Exception]:
        try:
            return await asyncio.to_thread(self._work, calls)
        except Exception as error:
            return [error] * len(calls)


_lanes: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, ThreadBatcher[Any, Any]]] = (
    WeakKeyDictionary()
)


def batched(work: Work[Call, Done]) -> ThreadBatcher[Call, Done]:
    """This event loop's one lane to some work."""
    lanes = _lanes.setdefault(asyncio.get_running_loop(), {})
    if work not in lanes:
        lanes[work] = ThreadBatcher(work)
    return lanes[work]


def _tell(
    going: Sequence[tuple[Call, asyncio.Future[Done]]], came: Sequence[Done | Exception]
) -> None:
    for (_, done), one in zip(going, came, strict=True):
        if done.done():  # its caller was cancelled
            continue
        if isinstance(one, Exception):
            done.set_exception(one)
        else:
            done.set_result(one)
