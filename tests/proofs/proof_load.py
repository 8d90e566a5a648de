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

from shapley_coop.state.storage.home import Home
from tests.proofs.counted import AGENTS
from tests.proofs.proof import Finding, Proof
from tests.server_process import Server
from tests.stub_openai import stub_process
from tests.trials import balanced
from tests.warm_coop import KEYS

WAVES = {
    "llm_only": [2],
    "negotiation": [1, 1, 1, 1, 2],
    "shapley_coop": [2, 1, 1, 2, 2, 1, 1],
}
"""Workflow → how many are asked at once, one wave after the other."""

PLAIN = Path(__file__).with_name("plain_calls.py")
LATENCY = 0.2
MODEL = ("--reply", "tests.embedded_reply:reply", "--latency", str(LATENCY))
ECHO = ("--latency", str(LATENCY))
JOBS = 50
"""Runs that the server plays at a time; the others wait in its queue."""

POLL = 0.5
"""Seconds between two looks at which runs have ended."""

MEGABYTES = 300

Run = dict[str, Any]
"""What a client asks the server to run."""


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
    server.serve_too(PLAIN)
    with stub_process(*MODEL) as model, stub_process(*ECHO) as echo, server:
        before = peak_memory(server)
        waited = _each({graph: _asked(graph, model) for graph in WAVES}, server, times)
        memory = peak_memory(server)
        plain = _each({graph: _plainly(graph, echo) for graph in WAVES}, server, times)
    _check_calls(waited, plain)
    home = Home(server.home)
    errors = sum(not paid(home, run.table) for runs in waited.values() for run in runs)
    slow, least = ({graph: _slow(found[graph]) for graph in WAVES} for found in (waited, plain))
    seconds = ", ".join(
        f"{slow[graph]:.1f} s {graph} ({least[graph]:.1f} s for the plain graph)" for graph in WAVES
    )
    return Finding(
        tried=f"{times:,} runs at once of each of {', '.join(WAVES)}, in the background; model "
        f"{LATENCY:g} s, {JOBS} at a time; beside each a plain graph that makes as many calls",
        figure=f"{errors} errors; p95 {seconds}; {memory} MB at most, {memory - before} MB more "
        "than idle",
        held=not errors and max(slow.values()) <= limit and memory <= MEGABYTES,
    )


def _each(runs: dict[str, Run], server: Server, times: int) -> dict[str, list[Waited]]:
    """Each of these so many times at once, one after the other."""
    return {graph: asyncio.run(at_once(server.url, times, run)) for graph, run in runs.items()}


def _check_calls(waited: dict[str, list[Waited]], plain: dict[str, list[Waited]]) -> None:
    """All that ended have made the calls of `WAVES`, or their times cannot be compared."""
    for graph, waves in WAVES.items():
        ended = (run.table for run in waited[graph] if run.table.get("settlement"))
        assert {_calls(table) for table in ended} <= {sum(waves)}, graph
        assert {len(run.table.get("said", ())) for run in plain[graph]} == {sum(waves)}, graph


def _asked(graph: str, model: str) -> Run:
    """A run of a workflow."""
    seats = {agent: {"model": f"openai:{agent}", "base_url": model} for agent in AGENTS}
    return {"assistant_id": graph, "input": {}, "context": {"seats": seats}}


def _plainly(graph: str, echo: str) -> Run:
    """A run that makes as many calls, of a model that costs nothing."""
    return {"assistant_id": PLAIN.stem, "input": {"base_url": echo, "waves": WAVES[graph]}}


def _calls(table: dict[str, Any]) -> int:
    """How often a run has asked its agents."""
    return sum(
        agent["calls"] for phase in table["spent"].values() for agent in phase["agents"].values()
    )


def _slow(runs: Sequence[Waited]) -> float:
    return percentile([run.seconds for run in runs], 95)


async def at_once(url: str, times: int, run: Run) -> list[Waited]:
    """Runs on threads of their own, all asked for in one moment, in the background."""
    asked = {**run, "durability": "sync"}
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


NOT_PROMISED = "The model's stub, the client and the server share the cores."


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
