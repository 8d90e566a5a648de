"""The development server: how long a run takes of a hundred that are asked for at once.

Ours and a plain graph have a `langgraph dev` each, on the loopback interface, and models that
answer from a script in the server's own process.
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

from benchmarks.contenders import table_of_four
from benchmarks.seats import scratch
from benchmarks.tables import Cell, Found, Goal
from shapley_coop.extras import is_installed, missing_library
from tests.server_process import BareServer

OURS, PLAIN = "ours: negotiation, SQLite", "a plain graph, in memory"
QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true"}

_SCRIPTED = '''"""Scripted models at all seats, as long as the server runs."""

from benchmarks.contenders import table_of_four
from benchmarks.seats import scripted_reply
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


def server(repeats: int = 11, latency: float = 0.2, at_once: int = 100) -> Found:
    """Runs of four agents on a development server, so many at once."""
    title = (
        f"{at_once} runs of four agents asked for at once of `langgraph dev`, each of 7 waves of "
        f"calls of {latency:g} s: a run's time at the client. Medians of {repeats}, in turn; the "
        "goal is the median of the ratios within each round of them."
    )
    columns = ("what is served", "p95 / the plain graph's", "p50, s", "p95, s")
    what = f"development server, {at_once} at once: p95 / the plain graph's"
    if not is_installed("langgraph_api"):
        why = f"Left out: {missing_library('the server', 'langgraph_api', 'dev')}."
        return Found(title, columns, [], [Goal(what, 1.0, None, must=1.2)], [why])
    with scratch() as folder, _served(folder, latency, at_once) as addresses:
        times = asyncio.run(_times(addresses, repeats, at_once))
    p95 = {name: [high for _, high in each] for name, each in times.items()}
    ratios = {name: median(map(truediv, each, p95[PLAIN])) for name, each in p95.items()}
    rows: list[list[Cell]] = [
        [name, ratios[name], median(low for low, _ in each), median(p95[name])]
        for name, each in times.items()
    ]
    return Found(
        title,
        columns,
        rows,
        [Goal(what, 1.0, ratios[OURS], must=1.2)],
        [
            "Ours keeps its checkpoints, its journal and its ledger on the disk; the plain graph's "
            "state is in the server's memory.",
            "Both servers may play all runs at the same time; client and servers share the "
            "processor.",
        ],
    )


@contextmanager
def _served(folder: Path, latency: float, jobs: int) -> Iterator[dict[str, str]]:
    """What is served → its server's address; both servers run as long as the block."""
    options = ("--n-jobs-per-worker", str(jobs))
    ours, plain = (BareServer(folder / name, options, **QUIET) for name in ("ours", "plain"))
    filled = _SCRIPTED.format(latency=latency)
    (folder / "scripted.py").write_text(filled, encoding="utf-8")
    ours.serve_too(folder / "scripted.py")
    (folder / "plain" / "plain.py").write_text(_PLAIN.format(latency=latency), encoding="utf-8")
    alone = {"dependencies": ["."], "graphs": {"plain": "./plain.py:graph"}}
    (folder / "plain" / "langgraph.json").write_text(json.dumps(alone), encoding="utf-8")
    try:
        yield {OURS: ours.start().url, PLAIN: plain.start().url}
    finally:
        ours.stop()
        plain.stop()


def _ours() -> tuple[str, dict[str, Any]]:
    """What our server is asked for."""
    room = table_of_four(0).room.model_dump(mode="json", exclude_unset=True)
    return "negotiation", {"room": room}


async def _times(
    addresses: dict[str, str], repeats: int, at_once: int
) -> dict[str, list[tuple[float, float]]]:
    """p50 and p95 of a run's time in seconds, round by round; each server is warmed up."""
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        OURS: _ours(),
        PLAIN: ("plain", {"messages": [], "wave": 0}),
    }
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in asked}
    for repeat in range(repeats + 1):
        for name, (graph, given) in asked.items():
            took = await _burst(addresses[name], graph, given, at_once)
            if repeat:
                cuts = quantiles(took, n=20, method="inclusive")
                found[name].append((cuts[9], cuts[18]))
    return found


async def _burst(url: str, graph: str, given: dict[str, Any], at_once: int) -> list[float]:
    """The time of each of so many runs, all asked for at one moment."""
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
