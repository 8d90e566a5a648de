"""The money and the pace of a sweep's processes: each call is a row, entered before it is made.

One statement looks at what is spent, at what the calls under way cost at their worst, and at the
calls of the last minute, and enters the call if it fits. So the processes of one folder, and with a
shared database those of all machines, keep to one limit together. A call that does not fit beside
others waits for their end, and is made alone while anything is left: so the limit is passed by one
call at most.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from shapley_coop.evals.sweeps.workers import Worker
from shapley_coop.seats.seat import SeatError

MINUTE = 60.0
NO_LIMIT = 1e18
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.5
"""Seconds between two tries of a call that does not fit."""

LOOKED_FOR = 30
"""Tries after which a call that does not fit looks whether a process has died."""

_UNDER_WAY = "FROM sweep_calls WHERE sweep = :sweep AND under_way = 1"
_RECENT = """
    FROM sweep_calls WHERE sweep = :sweep AND endpoint = :endpoint
    AND made > :now - 60 AND made <= :now + 60
"""
_RESERVE = f"""
    INSERT INTO sweep_calls (sweep, id, worker, endpoint, made, tokens, worst, under_way)
    SELECT :sweep, :id, :worker, :endpoint, :now, :tokens, :worst, 1 FROM sweeps
    WHERE sweep = :sweep AND spent < :limit
    AND (spent + :worst + (SELECT COALESCE(SUM(worst), 0) {_UNDER_WAY}) <= :limit
         OR NOT EXISTS (SELECT 1 {_UNDER_WAY}))
    AND (SELECT COUNT(*) {_RECENT}) < :rpm
    AND ((SELECT COALESCE(SUM(tokens), 0) {_RECENT}) + :tokens <= :tpm
         OR NOT EXISTS (SELECT 1 {_RECENT}))
    RETURNING id
"""  # noqa: S608 - constants
_SPEND = "UPDATE sweeps SET spent = spent + :cost WHERE sweep = :sweep"
_END = """
    UPDATE sweep_calls SET under_way = 0, worst = 0, tokens = COALESCE(:tokens, tokens)
    WHERE sweep = :sweep AND id = :id
"""
_FORGET = """
    DELETE FROM sweep_calls WHERE sweep = :sweep AND under_way = 0
    AND NOT (made > :now - 60 AND made <= :now + 60)
"""


class SpendingLimit(SeatError):
    """The next call could not be paid for."""


@dataclass(frozen=True)
class Rates:
    """Limits of one provider: requests and tokens per minute."""

    rpm: float = NO_LIMIT
    tpm: float = NO_LIMIT


@dataclass
class Purse:
    """What calls of a sweep may cost, in USD, and how fast they may be made.

    Attributes:
        worker: this process.
        limit: over all calls of the sweep; None for no limit.
        clock: seconds since the epoch.
        sleep: waits for so many of them.
        under_way: how many limited calls of this process have not ended.
    """

    worker: Worker
    limit: float | None = None
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    under_way: int = 0
    _queue: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def reserve(
        self, worst: float, tokens: float = 0.0, endpoint: str = "", rates: Rates = Rates()
    ) -> str:
        """Wait until a call fits, in the order of asking.

        Args:
            worst: the most that it can cost.
            tokens: that it is thought to take.
            endpoint: what is asked, if that has rates.
            rates: of the endpoint.

        Returns:
            What names the call; empty where nothing is limited.

        Raises:
            SpendingLimit: nothing is left.
        """
        async with self._queue.setdefault(endpoint, asyncio.Lock()):
            pause, tries = FIRST_PAUSE, 0
            while (made := await self.try_to(worst, tokens, endpoint, rates)) is None:
                tries += 1
                if tries % LOOKED_FOR == 0:
                    await asyncio.to_thread(self.worker.bury)
                await self.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            return made

    async def try_to(
        self, worst: float, tokens: float = 0.0, endpoint: str = "", rates: Rates = Rates()
    ) -> str | None:
        """Like `reserve`, but None where the call does not fit now."""
        if self.limit is None and rates == Rates():
            return ""
        call = {"id": uuid4().hex, "tokens": tokens, "worst": worst, "endpoint": endpoint}
        limit = NO_LIMIT if self.limit is None else self.limit
        values = self.worker.store.given(
            **call, **vars(rates), limit=limit, worker=self.worker.id, now=self.clock()
        )
        if not await asyncio.to_thread(self._enter, values):
            await self.check()
            return None
        self.under_way += 1
        return str(call["id"])

    def _enter(self, values: dict[str, Any]) -> bool:
        # Many may write to Postgres at once, who would not see each other's calls.
        with self.worker.store.writing(f"purse of {values['sweep']}") as session:
            return bool(session.execute(_RESERVE, **values))

    async def settle(self, made: str, cost: float, tokens: float | None = None) -> None:
        """End a call.

        Args:
            made: names the call; empty where nothing was reserved for it.
            cost: what it has cost.
            tokens: that it took; None if that is not known.
        """
        self.under_way -= bool(made)
        if made or cost:
            told = {"id": made, "cost": cost, "tokens": tokens, "now": self.clock()}
            await asyncio.to_thread(self.worker.store.write, _SPEND, _END, _FORGET, **told)

    async def spent(self) -> float:
        """Return what all calls of the sweep have cost."""
        return await asyncio.to_thread(lambda: self.worker.store.spent)

    async def check(self) -> None:
        """Make sure that something is left.

        Raises:
            SpendingLimit: it is not.
        """
        if self.limit is not None and (spent := await self.spent()) >= self.limit:
            raise SpendingLimit(f"the cost limit of {self.limit:g} USD: {spent:.4f} are spent")
