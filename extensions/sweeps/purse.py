"""The limits on cost and rates that all processes of a sweep share through a table of all calls.

One SQL statement adds a call's row if the call fits the rates and the money left. Calls in flight
count at their worst-case cost. So all processes of a folder, or all machines with a shared
database, keep to one limit. A call that does not fit waits until no other call is in flight. If
any money is left at that time, the call is made alone. So at most one call exceeds the limit.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from shapley_coop.extensions.sweeps.playing import NO_LIMIT, NO_RATES, Rates
from shapley_coop.extensions.sweeps.workers import Worker
from shapley_coop.seats.seat import SeatError

MINUTE = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.5
"""The first and the longest pause in seconds between two tries of a call that does not fit."""

LOOKED_FOR = 30
"""The number of tries after which a waiting call frees the reservations of dead processes."""

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
SPEND = "UPDATE sweeps SET spent = spent + :cost WHERE sweep = :sweep"
# The calls of a process that was taken for dead have been counted, at their worst-case cost.
_SPEND = f"""{SPEND} AND NOT EXISTS (
    SELECT 1 FROM sweep_calls WHERE sweep = :sweep AND id = :id AND under_way = 0
    AND endpoint <> '')
"""  # noqa: S608 - constants
_END = """
    UPDATE sweep_calls SET under_way = 0, worst = 0, tokens = COALESCE(:tokens, tokens)
    WHERE sweep = :sweep AND id = :id
"""
_FORGET = """
    DELETE FROM sweep_calls WHERE sweep = :sweep AND under_way = 0
    AND NOT (made > :now - 60 AND made <= :now + 60)
"""


class SpendingLimit(SeatError):
    """The error if the cost limit is reached, so that the next call cannot be paid for."""


@dataclass
class Purse:
    """The cost limit in USD and the rate limits of a sweep's calls.

    Attributes:
        worker: this process.
        limit: the limit over all calls of the sweep; None for no limit.
        clock: a function that returns the seconds since the epoch.
        sleep: a function that waits for a number of seconds.
        under_way: the number of this process's calls in flight to which a limit applies.
    """

    worker: Worker
    limit: float | None = None
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    under_way: int = 0
    _queue: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def reserve(
        self, worst: float, tokens: float = 0.0, endpoint: str = "", rates: Rates = NO_RATES
    ) -> str:
        """Wait until a call fits the limits, and reserve its cost; the first to wait goes first.

        Args:
            worst: the call's worst-case cost in USD.
            tokens: the estimated tokens of the call.
            endpoint: the endpoint that the rates apply to.
            rates: the endpoint's rates.

        Returns:
            The id of the call, or "" if there are no limits.

        Raises:
            SpendingLimit: no money is left.
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
        self, worst: float, tokens: float = 0.0, endpoint: str = "", rates: Rates = NO_RATES
    ) -> str | None:
        """Reserve a call's cost like `reserve`, but return None if the call does not fit now."""
        if self.limit is None and rates == NO_RATES:
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
        # The lock is for Postgres, where concurrent transactions would not see each other's calls.
        with self.worker.store.writing(f"purse of {values['sweep']}") as session:
            return bool(session.execute(_RESERVE, **values))

    async def settle(self, made: str, cost: float, tokens: float | None = None) -> None:
        """End a call and record its cost.

        Args:
            made: the id of the call; "" if nothing was reserved.
            cost: the real cost in USD.
            tokens: the real tokens; None if they are not known.
        """
        self.under_way -= bool(made)
        if made or cost:
            told = {"id": made, "cost": cost, "tokens": tokens, "now": self.clock()}
            await asyncio.to_thread(self.worker.store.write, _SPEND, _END, _FORGET, **told)

    async def spent(self) -> float:
        """Return the cost of all ended calls of the sweep, in USD."""
        return await asyncio.to_thread(lambda: self.worker.store.spent)

    async def check(self) -> None:
        """Check that some money is left below the cost limit.

        Raises:
            SpendingLimit: the limit is reached.
        """
        if self.limit is not None and (spent := await self.spent()) >= self.limit:
            raise SpendingLimit(f"the cost limit of {self.limit:g} USD: {spent:.4f} USD are spent")
