"""The engine against the critical path: one negotiation, 100 agents, and 100 runs at once.

The critical path is the lower bound of the wall time: the waves of calls one after the other, at
the model's latency. The time on top of the critical path is the engine's.
"""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph.state import CompiledStateGraph

from benchmarks.baseline import baseline_graph
from benchmarks.figures import Figure, in_turn
from benchmarks.seats import (
    Play,
    ScriptedModel,
    haggler,
    scratch,
    scripted_reply,
    table_of_four,
)
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.home import Home
from tests.postgres import postgres

GATHER, USUAL, OURS = "bare asyncio.gather", "LangGraph as usual", "ours"
USUAL_SAID = "No, not yet: " * 3
"""What the model of LangGraph as usual answers to everything."""


def raid(latency: float, heroes: int, turns: int) -> Play:
    """Return a play in which many heroes act in parallel; the clock stops before the credit."""
    params = {"heroes": heroes, "boss_hp": 10**6 * heroes, "rounds": turns, "strike": 0}
    room = RunConfig(game="raid_battle", params=params)
    return Play("llm_only", room, haggler([], "Fireball"), [heroes] * turns, latency, "step")


def negotiation(repeats: int = 5, latency: float = 0.2) -> list[Figure]:
    """Measure the wall time of one negotiation of four agents, in seven waves of calls of 0.2 s."""
    found = asyncio.run(_over_critical_path(table_of_four(latency), repeats))
    what = "one negotiation, SQLite: wall / critical path"
    return [Figure(what, found.pop(OURS), goal=1.03, floor=1.07), *_peers(what, found)]


def concurrent(repeats: int = 5, latency: float = 0.2, at_once: int = 100) -> list[Figure]:
    """Measure the wall time of a hundred such negotiations at once in one process."""
    found = asyncio.run(_over_critical_path(table_of_four(latency), repeats, at_once))
    what, path = f"{at_once} negotiations at once, SQLite: wall / ", "critical path"
    ratio = found[OURS] / found[USUAL]
    goal = Figure(f"{what}that of {USUAL} with its own saver", ratio, goal=0.6, floor=1.0)
    return [goal, *_peers(what + path, found)]


def parallel(
    repeats: int = 5, latency: float = 0.2, agents: int = 100, turns: int = 3
) -> list[Figure]:
    """Measure the wall time of a hundred agents who act in parallel for three turns."""
    with postgres() as url:
        found = asyncio.run(_over_critical_path(raid(latency, agents, turns), repeats, url=url))
    what = f"{agents} agents in parallel, Postgres: wall / critical path"
    return [Figure(what, found.pop(OURS), goal=1.2, floor=1.5), *_peers(what, found)]


def _peers(what: str, found: dict[str, float]) -> list[Figure]:
    return [Figure(f"{what}, {name}", ratio) for name, ratio in found.items()]


async def _over_critical_path(
    played: Play, repeats: int, at_once: int = 1, url: str = ""
) -> dict[str, float]:
    """Return contender → its median wall time over the critical path."""
    async with _contenders(played, url) as named:
        walls: dict[str, list[float]] = {name: [] for name in named}
        for name, times in in_turn(walls, repeats):
            gc.collect()
            began = perf_counter()
            ended = await asyncio.gather(*(named[name]() for _ in range(at_once)))
            times.append(max(ended) - began)
    critical = len(played.waves) * played.latency
    return {name: median(times) / critical for name, times in walls.items()}


@asynccontextmanager
async def _contenders(
    played: Play, url: str
) -> AsyncIterator[dict[str, Callable[[], Awaitable[float]]]]:
    """Yield contender → a function that plays once, and returns the clock at the end.

    On SQLite, LangGraph as usual has the saver of its own library, which people have; on Postgres
    it has ours, which then keeps each of its steps before the next begins.
    """
    model = ScriptedModel(script=lambda *_: USUAL_SAID, latency=played.latency)
    with scratch(url) as folder, scripted_reply(played.script, played.latency):
        own = AsyncSqliteSaver.from_conn_string(str(folder / "own.sqlite"))
        async with clients(), saver(Home(folder / "usual", url)) if url else own as usual:
            app = baseline_graph(played.waves, model).compile(checkpointer=usual)
            yield {
                GATHER: partial(_gathered, played.waves, played.latency),
                USUAL: partial(_run_baseline, app),
                OURS: partial(_run_ours, played),
            }


async def _gathered(widths: Sequence[int], latency: float) -> float:
    for width in widths:
        await asyncio.gather(*(asyncio.sleep(latency) for _ in range(width)))
    return perf_counter()


async def _run_baseline(compiled: CompiledStateGraph[Any, Any, Any, Any]) -> float:
    thread = {"thread_id": uuid4().hex}
    config: RunnableConfig = {"configurable": thread, "recursion_limit": 10_000}
    await compiled.ainvoke({"messages": [], "wave": 0}, config, durability="sync")
    return perf_counter()


async def _run_ours(played: Play) -> float:
    """Play a whole run, from its entry in the register to its result, and return the clock."""
    stopped = list[float]()

    def watch(node: str, _: dict[str, Any]) -> None:
        if node == played.until:
            stopped.append(perf_counter())

    await play(played.graph, played.room, watch=watch)
    return stopped[-1] if stopped else perf_counter()
