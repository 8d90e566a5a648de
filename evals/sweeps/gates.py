"""When a sweep's calls may be made: at an endpoint's pace, and within a sum of money.

An endpoint that answers 429 is left alone for as long as it asks, and then asked by half as many at
once; each answer lets a little more through (additive increase, multiplicative decrease: Chiu and
Jain, 1989). So it slows a sweep and does not fail it.

Money is reserved for each call at its worst: every byte of the letter a token, and the longest
answer. Where that does not fit beside the calls under way, a call waits for their end, and is made
alone while anything is left: so the limit is passed by one call at most.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

from shapley_coop.evals.sweeps.prices import NO_PRICES, Prices, is_batched, is_free
from shapley_coop.seats import Seat, SeatError
from shapley_coop.seats.asking import PATIENCE, Question
from shapley_coop.seats.gate import Ask
from shapley_coop.seats.models import profile_of
from shapley_coop.seats.records import Answer
from shapley_coop.seats.usage import counted

if TYPE_CHECKING:
    from shapley_coop.evals.sweeps.batches import Batches, Call

EVERY = "*"
MINUTE = 60.0
TRIES = 100
"""429s in a row after which a call is given up."""

LONGEST_ANSWER = 200_000
"""Tokens, where neither the seat nor LangChain's profile of the model has a limit."""

BESIDE_THE_LETTER = 2_000
"""Tokens of a form or of tools that may be sent with a letter."""


class SpendingLimit(SeatError):
    """The next call could not be paid for."""


@dataclass(frozen=True)
class Rates:
    """Limits of one provider: requests and tokens per minute; None for no limit."""

    rpm: float | None = None
    tpm: float | None = None


@dataclass
class Pace:
    """The pace of calls to one endpoint.

    Attributes:
        rates: what it allows.
        clock: seconds, rising.
        sleep: waits for so many of them.
    """

    rates: Rates
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    at_once: float = inf
    under_way: int = 0
    _quiet_until: float = 0.0
    _refusals: int = 0
    _recent: deque[list[float]] = field(default_factory=deque)
    _queue: asyncio.Lock = field(default_factory=asyncio.Lock)
    _freed: asyncio.Event = field(default_factory=asyncio.Event)

    async def enter(self, tokens: int) -> list[float]:
        """Wait until a call may be made, in the order of asking.

        Returns:
            When it was made, and its tokens, which are to be corrected once they are known.
        """
        async with self._queue:
            while (wait := self._wait(tokens)) > 0:
                if wait < inf:
                    await self.sleep(wait)
                else:
                    self._freed.clear()
                    await self._freed.wait()
            self.under_way += 1
            made = [self.clock(), float(tokens)]
            self._recent.append(made)
            return made

    def leave(self, busy: float | None = None) -> None:
        """End a call.

        Args:
            busy: None, or the endpoint answered 429: for how many seconds, 0 where it did not say.
        """
        self.under_way -= 1
        self._freed.set()
        if busy is None:
            self._refusals = 0
            self.at_once += 1 / self.at_once
            return
        now = self.clock()
        if now >= self._quiet_until:  # of several calls that are refused together the first counts
            self.at_once = max(1.0, min(self.at_once, self.under_way + 1) / 2)
            self._refusals += 1
        self._quiet_until = max(self._quiet_until, now + (busy or self._own_pause()))

    def _own_pause(self) -> float:
        return min(MINUTE, 2.0 ** (self._refusals - 1))

    def _wait(self, tokens: int) -> float:
        """Seconds until a call of so many tokens may be made; infinite: until another has ended."""
        now, rates = self.clock(), self.rates
        while self._recent and self._recent[0][0] <= now - MINUTE:
            self._recent.popleft()
        if now < self._quiet_until:
            return self._quiet_until - now
        if self.under_way >= self.at_once:
            return inf
        until_next = self._recent[0][0] + MINUTE - now if self._recent else 0.0
        if rates.rpm is not None and len(self._recent) + 1 > max(rates.rpm, 1):
            return until_next
        if rates.tpm is None:  # a minute of a fast sweep has thousands of calls
            return 0.0
        return until_next if sum(made[1] for made in self._recent) + tokens > rates.tpm else 0.0


@dataclass
class Purse:
    """Money for calls, in USD.

    Attributes:
        limit: None for no limit.
        spent: by calls that have ended.
        under_way: how many calls have not ended.
    """

    limit: float | None = None
    spent: float = 0.0
    under_way: int = 0
    _reserved: float = 0.0
    _freed: asyncio.Event = field(default_factory=asyncio.Event)

    async def reserve(self, worst: float) -> None:
        """Wait until a call fits, or is the only one.

        Raises:
            SpendingLimit: nothing is left.
        """
        while not self.fits(worst):
            self._freed.clear()
            await self._freed.wait()
        self.take(worst)

    def fits(self, worst: float) -> bool:
        """Whether a call fits, or is the only one.

        Raises:
            SpendingLimit: nothing is left.
        """
        limit = inf if self.limit is None else self.limit
        if self.spent >= limit:
            raise SpendingLimit(f"the cost limit of {limit:g} USD: {self.spent:.4f} are spent")
        return not self.under_way or self.spent + self._reserved + worst <= limit

    def take(self, worst: float) -> None:
        """Reserve for a call, and let it begin; without a limit nothing is counted."""
        if self.limit is not None:
            self._reserved += worst
            self.under_way += 1

    def settle(self, worst: float, cost: float) -> None:
        """End a call for which `worst` was reserved and which has cost `cost`."""
        self._reserved -= worst
        self.under_way -= 1
        self.spent += cost
        self._freed.set()


@dataclass
class SweepGate:
    """Every call of a sweep goes through it (`seats.gate.Gate`).

    Attributes:
        prices: USD per million tokens.
        purse: what may be spent.
        rates: provider → its limits; `*` is for every other.
        batches: what asks in batches, which have no pace; None where nothing does.
    """

    prices: Prices = NO_PRICES
    purse: Purse = field(default_factory=Purse)
    rates: Mapping[str, Rates] = field(default_factory=dict)
    batches: "Batches | None" = None
    _paces: dict[tuple[str, str | None], Pace] = field(default_factory=dict)

    async def call(self, seat: Seat, question: Question, ask: Ask) -> Answer:
        """Ask a seat when it may be asked, again where its endpoint is asked too often.

        Raises:
            SeatError: no answer came.
            SpendingLimit: it cannot be paid for.
        """
        if is_free(seat.model):
            return await ask(PATIENCE)
        letter, batched = question.text, self.batches is not None and is_batched(seat.model)
        worst = self._at_worst(seat, letter, batched)
        if self.batches is not None and batched:
            async with self.batches.asking(seat, question, worst) as call:
                return await self._paid(seat, worst, lambda: _in_batch(ask), call)
        limits = self.rates.get(seat.provider, self.rates.get(EVERY, Rates()))
        pace = self._paces.setdefault((seat.provider, seat.base_url), Pace(limits))
        tries = 0
        while True:
            made = await pace.enter(counted(None, letter, "")[0])
            try:
                answer = await self._paid(seat, worst, lambda: ask(PATIENCE))
            except SeatError as error:
                pace.leave(error.busy)
                tries += 1
                if error.busy is None or tries == TRIES:
                    raise
            except BaseException:
                pace.leave()
                raise
            else:
                made[1] = float(answer.input_tokens + answer.output_tokens)
                pace.leave()
                return answer

    def _at_worst(self, seat: Seat, letter: str, batched: bool) -> float:
        """The most that a call can cost, in USD; 0 without a limit."""
        if self.purse.limit is None:
            return 0.0
        return self.prices.at_worst(seat.model, *worst_case(seat, letter), batched)

    async def _paid(
        self,
        seat: Seat,
        worst: float,
        ask: Callable[[], Awaitable[Answer]],
        call: "Call | None" = None,
    ) -> Answer:
        """An answer that the purse pays for; the batch that a call goes with reserves for it."""
        if self.purse.limit is None:
            return await ask()
        if call is None:
            await self.purse.reserve(worst)
        cost = 0.0
        try:
            answer = await ask()
            cost = self.prices.cost([{"model": seat.model, **vars(answer)}])
        finally:
            if call is None or call.reserved:
                self.purse.settle(worst, cost)
        return answer


async def _in_batch(ask: Ask) -> Answer:
    """An answer for which nobody waits at an open connection."""
    return replace(await ask(inf), batched=True)


def worst_case(seat: Seat, letter: str) -> tuple[int, int]:
    """The most tokens in and out that a call can take: no token is shorter than a byte."""
    return len(letter.encode("utf-8", "replace")) + BESIDE_THE_LETTER, longest_answer(seat)


def longest_answer(seat: Seat) -> int:
    """The most tokens that a seat can answer with, as far as that is limited."""
    try:
        known = seat.max_tokens or profile_of(seat).get("max_output_tokens")
    except ValueError:
        known = None  # an agent elsewhere, or a package's seat
    return int(known or LONGEST_ANSWER)


def rates_from(rpm: list[str], tpm: list[str]) -> dict[str, Rates]:
    """Read "500", for every provider, or "openai=500".

    Raises:
        ValueError: it is neither.
    """
    found: dict[str, dict[str, float]] = {}
    for name, texts in (("rpm", rpm), ("tpm", tpm)):
        for text in texts:
            provider, equals, number = text.rpartition("=")
            if not number.isdigit() or int(number) < 1 or (equals and not provider):
                raise ValueError(f"--{name} {text}: give a number, or provider=number")
            found.setdefault(provider or EVERY, {})[name] = float(number)
    every = found.get(EVERY, {})
    return {provider: Rates(**{**every, **limits}) for provider, limits in found.items()}
