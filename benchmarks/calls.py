"""Calls in flight through a real `ChatOpenAI` seat, against a loopback endpoint.

A burst sends all calls at one moment and counts until the last is answered; a spread sends them
evenly over some time and counts how long one call takes on average. Both over the endpoint's own
latency, so that 1 is what nobody can beat.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from statistics import fmean, median

import aiohttp
from langchain_core.messages import BaseMessage
from langchain_openai import ChatOpenAI

from benchmarks.flames import profiled
from benchmarks.seats import scratch
from benchmarks.stub import stub
from benchmarks.tables import Cell, Found, Goal
from shapley_coop.seats import Letter, Question, Seat, ask
from shapley_coop.seats.clients import clients
from shapley_coop.seats.models import chat_model
from shapley_coop.state import home

SEAT, TRANSPORT, USUAL, BARE = (
    "our seat, kept in the journal",
    "our seat's ChatOpenAI alone",
    "ChatOpenAI as usual (httpx)",
    "bare aiohttp",
)
LIMITS = {
    (100, "burst"): (1.8, 2.2),
    (1000, "burst"): (10, 10),
    (100, "spread"): (1.05, 1.05),
    (1000, "spread"): (4, 9),
}
"""Calls and way → what time over latency should be, and what it must be."""

Call = Callable[[], Awaitable[object]]


def calls(
    repeats: int = 5, latency: float = 0.2, sizes: tuple[int, ...] = (100, 1000), spread: float = 1
) -> Found:
    """Calls in flight, at once and spread over `spread` seconds."""
    return asyncio.run(_calls(repeats, latency, sizes, spread))


async def _calls(repeats: int, latency: float, sizes: tuple[int, ...], spread: float) -> Found:
    rows: list[list[Cell]] = []
    reached: dict[tuple[int, str], float] = {}
    with stub(latency) as base_url, scratch():
        async with contenders(base_url) as named:
            for size in sizes:
                for way, over in (("burst", 0.0), ("spread", spread)):
                    found = await _side_by_side(named, size, over, repeats)
                    for name, (ratio, spent) in found.items():
                        one = ratio / latency
                        rows.append([f"{size}, {way}: {name}", one, ratio, 1000 * spent / size])
                    reached[size, way] = found[SEAT][0] / latency
            with profiled("calls", f"{sizes[-1]} calls at once: {SEAT}") as profile:
                await _time(named[SEAT], sizes[-1], 0)
    return Found(
        f"Calls through a seat against an endpoint of {latency:g} s in a process of its own: all "
        f"at once (until the last is answered), and spread over {spread:g} s (a call's mean). "
        f"Medians of {repeats}, the contenders in turn.",
        ("calls and contender", "time / latency", "time, s", "CPU per call, ms"),
        rows,
        [
            Goal(f"{size} calls, {way}: time / latency", limit, reached.get((size, way)), must=must)
            for (size, way), (limit, must) in LIMITS.items()
        ],
        [
            "The endpoint runs on the same processor and takes a part of it: bare aiohttp shows "
            "what is left for a client.",
            "1000 calls in a second are about what one core can make through the openai client, "
            "which builds headers, address and options of each request anew: more takes several "
            "processes.",
        ],
        {f"{sizes[-1]}, burst: {SEAT}": profile},
    )


@asynccontextmanager
async def contenders(base_url: str) -> AsyncIterator[dict[str, Call]]:
    """The ways to call; clients are built once, as every caller should."""
    seat, number = Seat(model="openai:stub", base_url=base_url), count()
    letter = Letter("You sit at a table. " * 300, "What do you say? " * 100)
    usual = ChatOpenAI(model="stub", base_url=base_url, timeout=60, max_retries=2)
    journal = home().journal
    async with clients(), aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        ours = chat_model(seat, agent="Alice", seed=0)
        body = {"model": "stub", "messages": [_plain(message) for message in letter.messages()]}

        async def kept() -> None:
            question = Question(f"e{next(number)}", "Alice", "answer", letter)
            await ask(seat, 0, question, journal)

        async def bare() -> None:
            async with session.post(f"{base_url}/chat/completions", json=body) as response:
                await response.json()

        yield {
            BARE: bare,
            USUAL: lambda: usual.ainvoke(letter.messages()),
            TRANSPORT: lambda: ours.ainvoke(letter.messages()),
            SEAT: kept,
        }


def _plain(message: BaseMessage) -> dict[str, str]:
    return {"role": message.type, "content": str(message.text)}


async def _side_by_side(
    named: dict[str, Call], size: int, over: float, repeats: int
) -> dict[str, tuple[float, float]]:
    """Every contender's median time and CPU time, in seconds; it is warmed up first."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in named}
    for repeat in range(repeats + 1):
        for name, call in named.items():
            spent = time.process_time()
            took = await _time(call, size, over)
            if repeat:
                times[name].append((took, time.process_time() - spent))
    return {
        name: (median(t[0] for t in found), median(t[1] for t in found))
        for name, found in times.items()
    }


async def _time(call: Call, size: int, over: float) -> float:
    """Until the last answer of a burst; the mean of a call where they are spread."""
    began = time.perf_counter()

    async def one(number: int) -> float:
        await asyncio.sleep(over * number / size)
        sent = time.perf_counter()
        await call()
        return time.perf_counter() - sent

    took = await asyncio.gather(*(one(number) for number in range(size)))
    return fmean(took) if over else time.perf_counter() - began
