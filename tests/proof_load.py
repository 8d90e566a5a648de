"""Many runs at once on LangGraph's development server, with a model that takes its time."""

import asyncio
import re
import time
from collections.abc import Sequence
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from state import Home
from tests.counted import AGENTS
from tests.proof import Finding, Proof
from tests.server_process import Server
from tests.stub_openai import stub_process
from tests.trials import balanced
from tests.warm_coop import KEYS

GRAPHS = ("llm_only", "negotiation", "shapley_coop")
LATENCY = 0.2
MODEL = ("--reply", "tests.embedded_reply:reply", "--latency", str(LATENCY))
JOBS = 50
"""Runs that the server plays at a time; the others wait in its queue."""

POLL = 0.5
"""Seconds between two looks at which runs have ended."""

MEGABYTES = 300


class Waited(NamedTuple):
    """One run, as its client saw it: the seconds to its end, and the table it ended with."""

    seconds: float
    table: dict[str, Any]


def attempt(folder: Path, times: int, limit: float) -> Finding:
    """Have so many runs of each workflow begin at once, one workflow after the other.

    Args:
        folder: where the server keeps what it writes.
        times: how many runs.
        limit: the seconds within which 95 % of them have to end.
    """
    server = Server(folder, N_JOBS_PER_WORKER=str(JOBS), **KEYS)
    with stub_process(*MODEL) as model:
        try:
            server.start()
            before = peak_memory(server)
            together = partial(at_once, server.url, model, times)
            waited = {graph: asyncio.run(together(graph)) for graph in GRAPHS}
            memory = peak_memory(server)
        finally:
            server.stop()
    home = Home(server.home)
    errors = sum(not paid(home, run.table) for runs in waited.values() for run in runs)
    slow = {graph: percentile([run.seconds for run in waited[graph]], 95) for graph in GRAPHS}
    seconds = ", ".join(f"{slow[graph]:.1f} s {graph}" for graph in GRAPHS)
    return Finding(
        tried=f"{times:,} runs at once of each of {', '.join(GRAPHS)}, in the background; model "
        f"{LATENCY:g} s, {JOBS} at a time",
        figure=f"{errors} errors; p95 {seconds}; {memory} MB at most, {memory - before} MB more "
        "than idle",
        held=not errors and max(slow.values()) <= limit and memory <= MEGABYTES,
    )


async def at_once(url: str, model: str, times: int, graph: str) -> list[Waited]:
    """Runs on threads of their own, all asked for in one moment, in the background."""
    seats = {agent: {"model": f"openai:{agent}", "base_url": model} for agent in AGENTS}
    asked = {"assistant_id": graph, "input": {}, "context": {"seats": seats}, "durability": "sync"}
    # No connection is used twice: the server closes idle ones, maybe while a request is on its way.
    unlimited = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=url, timeout=None, limits=unlimited) as client:
        started = time.monotonic()

        async def begin() -> str:
            try:
                thread = str((await client.post("/threads", json={})).json()["thread_id"])
                (await client.post(f"/threads/{thread}/runs", json=asked)).raise_for_status()
            except httpx.HTTPError as error:
                return f"not begun: {error!r}"
            return thread

        threads = await asyncio.gather(*(begin() for _ in range(times)))
        ended = await _ends(client, threads)
        tables = await _tables(client, threads)
    return [Waited(ended[thread] - started, tables.get(thread) or {}) for thread in threads]


async def _ends(client: httpx.AsyncClient, threads: list[str]) -> dict[str, float]:
    """When each thread was first seen to be busy no more.

    Whoever waits for a run of the development server has it look through all runs, again and
    again: a thousand who wait take most of its time.
    """
    ended: dict[str, float] = {}
    while len(ended) < len(threads):
        await asyncio.sleep(POLL)
        busy = {one["thread_id"] for one in await _search(client, status="busy", limit=1000)}
        ended |= dict.fromkeys(set(threads) - busy - ended.keys(), time.monotonic())
    return ended


async def _tables(client: httpx.AsyncClient, threads: list[str]) -> dict[str, dict[str, Any]]:
    """How each thread stands."""
    found: dict[str, dict[str, Any]] = {}
    for first in range(0, len(threads), 100):
        ids = [thread for thread in threads[first : first + 100] if " " not in thread]
        page = await _search(client, ids=ids, limit=100, select=["thread_id", "values"])
        found |= {one["thread_id"]: one["values"] for one in page}
    return found


async def _search(client: httpx.AsyncClient, **query: Any) -> list[dict[str, Any]]:
    asked = {"select": ["thread_id"], **query}
    found: list[dict[str, Any]] = (await client.post("/threads/search", json=asked)).json()
    return found


def paid(home: Home, table: dict[str, Any]) -> bool:
    """Whether a run came to its end, and its ledger to its payoffs."""
    settlement = table.get("settlement")
    return bool(settlement) and balanced(home, table["episode"], settlement["payoffs"])


def percentile(numbers: Sequence[float], percent: int) -> float:
    """The smallest number that so many percent do not exceed."""
    return sorted(numbers)[ceil(len(numbers) * percent / 100) - 1]


def peak_memory(server: Server) -> int:
    """The most megabytes that the server's process has had in memory so far (Linux)."""
    status = Path(f"/proc/{server.process}/status").read_text(encoding="utf-8")
    (kilobytes,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return int(kilobytes) // 1024


NOT_PROMISED = (
    "The figures are of one machine on which the model's stub, the client and the server share the "
    "cores; the development server is one process. Runs that wait for real models take as long "
    "as those, and N_JOBS_PER_WORKER bounds how many are played at a time."
)


def proof(times: int, limit: float) -> Proof:
    """That many runs at once."""
    return Proof(
        promise=f"The development server bears {times:,} runs at once (2 cores)",
        goal=f"0 errors, p95 ≤ {limit:g} s, ≤ {MEGABYTES} MB",
        not_promised=NOT_PROMISED,
        attempt=partial(attempt, limit=limit),
        short=8,
        long=times,
    )


PROOFS = {"load_hundred": proof(100, 10), "load_thousand": proof(1000, 60)}
