"""The gate of a sweep's calls: it limits each endpoint's concurrent calls and the total cost.

After status 429, the gate pauses for the time that the endpoint asks for, and halves the number of
concurrent calls. Each answer raises this number a little (additive increase, multiplicative
decrease: Chiu and Jain, 1989). So a rate limit only slows a sweep. Processes adapt separately. The
gate also waits for an endpoint that answered before and now fails, or is silent, for `OUTAGE`.

All processes of a sweep share its limits (`purse`): requests and tokens per minute, and cost. Each
call reserves its worst-case cost: a token for every byte of the letter, and the longest answer.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from math import inf

from shapley_coop.evals.prices import NO_PRICES, Prices, is_free
from shapley_coop.extensions.sweeps.playing import EVERY, NO_RATES, Batches, Rates
from shapley_coop.extensions.sweeps.purse import MINUTE, Purse
from shapley_coop.seats.asking import PATIENCE, Enquiry
from shapley_coop.seats.clients import Ask, clients_here
from shapley_coop.seats.endpoint import profile_of
from shapley_coop.seats.records import Answer
from shapley_coop.seats.seat import Seat, SeatUnavailable
from shapley_coop.seats.usage import count_tokens

TRIES = 100
"""The number of tries after which a call is given up."""

OUTAGE = 900.0
"""The seconds for which an endpoint that answered before may fail or be silent."""

LONGEST_ANSWER = 200_000
"""Most tokens of an answer if neither the seat nor the model's profile has a limit."""

BESIDE_THE_LETTER = 2_000
"""Most tokens of an answer's schema and of tools that are sent with a letter."""


@dataclass
class Pace:
    """The limit on this process's concurrent calls to an endpoint, adapted after each answer.

    Attributes:
        clock: a function that returns monotonic seconds.
        sleep: a function that waits for a number of seconds.
        at_once: the most concurrent calls.
        under_way: the number of calls in flight.
        heard: the time of the endpoint's last answer; a 429 is an answer, too.
    """

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    at_once: float = inf
    under_way: int = 0
    heard: float = -inf
    _quiet_until: float = 0.0
    _refusals: int = 0
    _queue: asyncio.Lock = field(default_factory=asyncio.Lock)
    _freed: asyncio.Event = field(default_factory=asyncio.Event)

    async def enter(self) -> None:
        """Wait until a call may be made; calls are let through in the order of their requests."""
        async with self._queue:
            while True:
                if (wait := self._quiet_until - self.clock()) > 0:
                    await self.sleep(wait)
                elif self.under_way >= self.at_once:
                    self._freed.clear()
                    await self._freed.wait()
                else:
                    break
            self.under_way += 1

    def leave(self, busy: float | None = None) -> None:
        """End a call, and adapt the number of calls that may be concurrent.

        Args:
            busy: the seconds to wait that a status 429 names, 0 for an endpoint that fails; None
                if waiting is no cure, or if the endpoint answered.
        """
        self.under_way -= 1
        self._freed.set()
        if busy != 0:
            self.heard = self.clock()
        if busy is None:
            self._refusals = 0
            self.at_once += 1 / self.at_once
            return
        now = self.clock()
        if now >= self._quiet_until:  # of several refusals in one pause, only the first one counts
            self.at_once = max(1.0, min(self.at_once, self.under_way + 1) / 2)
            self._refusals += 1
        self._quiet_until = max(self._quiet_until, now + max(busy, self._own_pause()))

    def may_answer(self, busy: float) -> bool:
        """Return whether to ask an endpoint again that was not reached, or is busy so long."""
        return busy > 0 or self.clock() - self.heard < OUTAGE

    def _own_pause(self) -> float:
        return min(MINUTE, 2.0 ** (self._refusals - 1))


@dataclass
class SweepGate:
    """The gate for every call of a sweep (`seats.clients.Clients.gate`).

    Attributes:
        purse: the shared limits on cost and rates.
        prices: the prices in USD per million tokens.
        rates: provider → its limits; `*` stands for all other providers.
        batches: the sender of letters in batches, to which no `Pace` applies; None for no batches.
    """

    purse: Purse
    prices: Prices = NO_PRICES
    rates: Mapping[str, Rates] = field(default_factory=dict)
    batches: Batches | None = None
    _paces: dict[str, Pace] = field(default_factory=dict)

    async def call(self, seat: Seat, question: Enquiry, ask: Ask) -> Answer:
        """Ask a seat as soon as its endpoint's limits allow; ask again if it was busy or failed.

        Raises:
            SeatError: no answer came.
            SpendingLimit: the cost limit does not allow the call.
        """
        if is_free(seat.model):
            return await ask(PATIENCE)
        if self.batches is not None and is_batched(seat.model):
            return await self._in_a_batch(self.batches, seat, question, ask)
        endpoint = f"{seat.provider} {seat.base_url or ''}"
        stopping = clients_here().stopping
        pace = self._paces.setdefault(endpoint, Pace(sleep=stopping.sleep))
        for tries in count(1):
            await pace.enter()
            busy: float | None = None
            try:
                stopping.check()
                return await self._once(seat, question.text, endpoint, ask)
            except SeatUnavailable as error:
                busy = error.busy or 0.0
                if tries == TRIES or not pace.may_answer(busy):
                    raise
            finally:
                pace.leave(busy)
        raise AssertionError("the loop over tries ended")

    async def _in_a_batch(
        self, batches: Batches, seat: Seat, question: Enquiry, ask: Ask
    ) -> Answer:
        """Ask a seat in a provider's batch, without a time limit or an open connection."""
        worst = self._at_worst(seat, question.text, batched=True)
        async with batches.asking(seat, question, worst) as call:
            answer: Answer | None = None
            try:
                return (answer := replace(await ask(inf), batched=True))
            finally:
                await self._settle(seat, call.reserved, answer)

    async def _once(self, seat: Seat, letter: str, endpoint: str, ask: Ask) -> Answer:
        """Ask once, as soon as the purse and the provider's rates allow the call."""
        rates = self.rates.get(seat.provider, self.rates.get(EVERY, NO_RATES))
        worst, tokens = self._at_worst(seat, letter), count_tokens(None, letter, "")[0]
        made = await self.purse.reserve(worst, tokens, endpoint, rates)
        answer, broken_off = None, 0.0
        try:
            return (answer := await ask(PATIENCE))
        except asyncio.CancelledError:
            broken_off = worst  # the provider may bill a cancelled call in full
            raise
        finally:
            await self._settle(seat, made, answer, broken_off)

    def _at_worst(self, seat: Seat, letter: str, batched: bool = False) -> float:
        """Return a call's worst-case cost in USD; 0 without a cost limit."""
        if self.purse.limit is None:
            return 0.0
        # Each token of the letter has one byte or more.
        tokens = len(letter.encode("utf-8", "replace")) + BESIDE_THE_LETTER
        return self.prices.at_worst(seat.model, tokens, longest_answer(seat), batched)

    async def _settle(
        self, seat: Seat, made: str, answer: Answer | None, cost: float = 0.0
    ) -> None:
        """Tell the purse the real cost of a call; `cost` in USD is used if no answer came."""
        tokens = None
        if answer is not None:
            tokens, cost = answer.input_tokens + answer.output_tokens, answer.usd
            if not cost and self.prices.know([seat.model]):
                cost = self.prices.cost([{"model": seat.model, **vars(answer)}])
        await self.purse.settle(made, cost, tokens)


def is_batched(model: str) -> bool:
    """Return whether sweeps can send calls of a model in batches: OpenAI-compatible models only."""
    return Seat(model=model).provider == "openai"


def longest_answer(seat: Seat) -> int:
    """Return the most tokens of a seat's answer, or `LONGEST_ANSWER` without a known limit."""
    try:
        known = seat.max_tokens or profile_of(seat).get("max_output_tokens")
    except ValueError:
        known = None  # the model of a remote agent or an extension's seat has no profile
    return int(known or LONGEST_ANSWER)
