"""The development server: the time of a run if a hundred runs are requested at once.

Our graphs and a plain graph each have their own `langgraph dev` on the loopback interface. Models
answer from a script in the server's process.
"""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from operator import truediv
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from langgraph_sdk import get_client

from benchmarks.figures import Figure, in_turn
from benchmarks.seats import scratch, table_of_four
from tests.server_process import BareServer

OURS, PLAIN = "ours: negotiation, SQLite", "a plain graph, in memory"
QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true"}

_SCRIPTED = '''"""Scripted models at all seats, as long as the server runs."""

from benchmarks.seats import scripted_reply, table_of_four
from shapley_coop.graphs.negotiation import graph

seated = scripted_reply(table_of_four(0).script, {latency})
seated.__enter__()
'''
_PLAIN = '''"""LangGraph as usual: as many calls in the same waves."""

from benchmarks.baseline import baseline_graph
from benchmarks.seats import ScriptedModel, waves

said = "No, not yet: " * 3
model = ScriptedModel(agent="", script=lambda *_: said, latency={latency})
graph = baseline_graph(waves(4, 3), model).compile(name="plain")
'''


def server(repeats: int = 11, latency: float = 0.2, at_once: int = 100) -> list[Figure]:
    """Measure the time of a run of four agents where a server is asked for a hundred at once.

    The goal is for the median of the ratios within each round of the repeats.
    """
    with scratch() as folder, _served(folder, latency, at_once) as addresses:
        times = asyncio.run(_times(addresses, repeats, at_once))
    ratio = median(map(truediv, times[OURS], times[PLAIN]))
    what = f"development server, {at_once} at once: p95"
    return [
        Figure(f"{what} / the plain graph's", ratio, goal=1.0, floor=1.2),
        *(Figure(f"{what}, {name}", median(each), "s") for name, each in times.items()),
    ]


@contextmanager
def _served(folder: Path, latency: float, jobs: int) -> Iterator[dict[str, str]]:
    """Run both servers within the `with` block; yield the name of each and its address."""
    options = ("--n-jobs-per-worker", str(jobs))
    ours, plain = (BareServer(folder / name, options, **QUIET) for name in ("ours", "plain"))
    filled = _SCRIPTED.format(latency=latency)
    (folder / "scripted.py").write_text(filled, encoding="utf-8")
    ours.serve_too(folder / "scripted.py")
    (folder / "plain" / "plain.py").write_text(_PLAIN.format(latency=latency), encoding="utf-8")
    alone = {"dependencies": ["."], "graphs": {"plain": "./plain.py:graph"}}
    (folder / "plain" / "langgraph.json").write_text(json.dumps(alone), encoding="utf-8")
    with ours, plain:
        yield {OURS: ours.url, PLAIN: plain.url}


async def _times(addresses: dict[str, str], repeats: int, at_once: int) -> dict[str, list[float]]:
    """Return server → p95 of a run's seconds in each round."""
    room = table_of_four(0).room.model_dump(mode="json", exclude_unset=True)
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        OURS: ("negotiation", {"room": room}),
        PLAIN: ("plain", {"messages": [], "wave": 0}),
    }
    found: dict[str, list[float]] = {name: [] for name in asked}
    for name, p95 in in_turn(found, repeats):
        took = await _burst(addresses[name], *asked[name], at_once)
        p95.append(quantiles(took, n=20, method="inclusive")[18])
    return found


async def _burst(url: str, graph: str, given: dict[str, Any], at_once: int) -> list[float]:
    """Return the seconds of each of `at_once` runs, all requested at the same moment."""
    client = get_client(url=url, api_key=None)
    threads = [(await client.threads.create())["thread_id"] for _ in range(at_once)]

    async def one(thread: str) -> float:
        began = time.perf_counter()
        ended = await client.runs.wait(thread, graph, input=given, durability="sync")
        if not isinstance(ended, dict) or ended.get("status", "agreed") != "agreed":
            raise RuntimeError(f"a run of {graph} came to {str(ended)[:200]}")
        return time.perf_counter() - began

    async with client:
        return await asyncio.gather(*map(one, threads))
