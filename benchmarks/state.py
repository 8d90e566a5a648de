"""Storage and memory: checkpoint bytes by turns, memory per negotiation."""

import asyncio
import gc
import resource
import sqlite3
import sys
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

from langgraph.channels import DeltaChannel
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from benchmarks.baseline import baseline_graph
from benchmarks.contenders import (
    LEAN,
    OURS,
    USUAL,
    Clock,
    run_baseline,
    run_lean,
    run_ours,
    table_of_four,
)
from benchmarks.flames import write_flames
from benchmarks.profile import PYTHON, Line, Stack, owner
from benchmarks.seats import Gate, ScriptedModel, chatter, haggler, scratch, scripted_reply
from benchmarks.tables import Cell, Found, Goal, exponent
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state import RunConfig, home

SPEECH = 400
"""Characters of one public message."""

FRAMES = 30
"""Frames kept of the stack that allocates: enough to reach our own code."""

TENTH = 10
"""Allocations are traced at a size so many times smaller, because tracing is slow."""

KEPT = OURS.format("SQLite")
DELTA, ADDING, TABLE = "a bare DeltaChannel", "LangGraph as usual, adding list", "ours"


def checkpoints(turns: tuple[int, ...] = (100, 200, 500, 1000), rounds: int = 50) -> Found:
    """Checkpoint bytes against turns of talk, two agents.

    Args:
        turns: how many messages, each a multiple of twice the rounds.
        rounds: of one bargaining.
    """
    return asyncio.run(_checkpoints(turns, rounds))


def memory(few: int = 50, more: int = 250, names: tuple[str, ...] = (USUAL, LEAN, KEPT)) -> Found:
    """Resident memory of a negotiation of four that waits for its models.

    Args:
        few: how many wait at first.
        more: how many wait in the end; memory is what these added.
        names: the contenders.
    """
    held: dict[str, float] = {}
    owners: dict[str, dict[str, float]] = {}
    for name in names:
        # A process of its own: what another contender has let go of would be used again.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            held[name], owners[name] = process.submit(_held, name, few, more).result()
    least = held[names[0]]
    return Found(
        f"Resident memory that each negotiation of four added, from {few} to {more} in one "
        "process, while all wait for their models.",
        ("contender", f"× {names[0]}", "kB per negotiation"),
        [[name, size / least if least else None, size] for name, size in held.items()],
        [Goal("memory per negotiation in flight, SQLite", 60, held.get(KEPT), "kB", must=90)],
        [
            "By the process's high-water mark, so that what SQLite and threads take is counted. "
            "It rises by Python's arenas of 1 MiB, and what a start has taken and freed is used "
            "first: a few kB either way say nothing.",
            "About half is LangGraph's: a run holds its channels, the checkpoint of each, and the "
            "configuration of every task. The goal needs letters that are written when a seat is "
            "free to read them, and not before they wait.",
        ],
        owners,
        "who asked for the memory of Python's objects",
    )


def _held(name: str, few: int, more: int) -> tuple[float, dict[str, float]]:
    """How much memory is held, and who allocated it."""
    held = asyncio.run(_resident(name, few, more))
    fewer, joining = few // TENTH or 1, (more - few) // TENTH or 1
    return held, asyncio.run(_owners(name, fewer, fewer + joining))


async def _resident(name: str, few: int, more: int) -> float:
    """Kilobytes for each negotiation beyond the first few."""
    before, after = [_high_water() async for _ in _waiting(name, few, more)]
    return (after - before) / (more - few)


async def _owners(name: str, few: int, more: int) -> dict[str, float]:
    """Each library's, or room's, share of the memory beyond that of the first few.

    Of ours with SQLite a flame graph is written, too.
    """
    sizes, stacks = Counter[str](), Counter[Stack]()
    async for waiting in _waiting(name, few, more):
        if waiting == few:  # what is imported and built once is there
            tracemalloc.start(FRAMES)
        else:
            for trace in tracemalloc.take_snapshot().traces:
                files = (frame.filename for frame in reversed(trace.traceback))
                sizes[next(filter(None, map(owner, files)), PYTHON)] += trace.size
                stacks[tuple(map(_line, trace.traceback))] += trace.size
            tracemalloc.stop()
    if name == KEPT:
        title = f"{more - few} negotiations more: {KEPT}"
        write_flames("memory", title, stacks, "bytes of Python's objects")
    return {part: size / sizes.total() for part, size in sizes.items()}


def _line(frame: tracemalloc.Frame) -> Line:
    return Line(f"{Path(frame.filename).name}:{frame.lineno}", frame.filename)


async def _waiting(name: str, *counts: int) -> AsyncIterator[int]:
    """Rising counts of one contender's negotiations, each as soon as so many wait for models."""
    gate, played = Gate(), table_of_four(0)
    model = ScriptedModel(agent="", script=lambda *_: "No.", gate=gate)
    with scratch(), scripted_reply(played.script, gate=gate):
        async with clients():
            runs: dict[str, Callable[[], Awaitable[Clock]]] = {
                USUAL: partial(run_baseline, baseline_graph(played.waves, model).compile()),
                LEAN: partial(run_lean, played),
                KEPT: partial(run_ours, played),
            }
            held = list[asyncio.Task[Clock]]()
            for count in counts:
                joining = count - len(held)
                held += [asyncio.ensure_future(runs[name]()) for _ in range(joining)]
                await gate.arrivals(joining)
                gc.collect()
                yield count
            gate.open()
            await asyncio.gather(*held)


def _high_water() -> float:
    """The most memory this process has had, in kB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1000 if sys.platform == "darwin" else most * 1.024


async def _checkpoints(turns: tuple[int, ...], rounds: int) -> Found:
    written: dict[str, list[tuple[int, int]]] = {DELTA: [], ADDING: [], TABLE: []}
    for count in turns:
        written[DELTA].append(await _peer(_delta(count), {"talk": [], "left": count}))
        page = baseline_graph(
            [1] * count, ScriptedModel(agent="", script=lambda _, told: _said(len(told)))
        )
        written[ADDING].append(await _peer(page, {"messages": [], "wave": 0}))
        written[TABLE].append(await _ours(count, rounds))
    rows: list[list[Cell]] = []
    slope = whole = 0.0
    for name, found in written.items():  # ours is the last
        sums = [saved + pending for saved, pending in found]
        slope, whole = exponent(turns, sums), sums[-1] / 1e6
        ratio = sums[-1] / (turns[-1] * SPEECH)
        rows.append([name, ratio, slope, whole, *(part / 1e6 for part in found[-1])])
    return Found(
        f"Checkpoints on SQLite after {turns[-1]} messages of {SPEECH} bytes by two agents, the "
        "peers' in LangGraph's own saver; the exponent is fitted over "
        f"{', '.join(map(str, turns))} messages.",
        (
            *("contender", "bytes written / bytes said", "exponent of bytes over turns"),
            *("MB in all", "MB of checkpoints", "MB of pending writes"),
        ),
        rows,
        [
            Goal("checkpoint bytes against turns: exponent", 1.1, slope),
            Goal(f"checkpoints after {turns[-1]} turns of {SPEECH} B", 2, whole, "MB"),
        ],
    )


def _extend(talk: list[str], writes: Sequence[list[str]]) -> list[str]:
    return [*talk, *(line for write in writes for line in write)]


class _Talk(TypedDict):
    talk: Annotated[list[str], DeltaChannel(_extend, list, snapshot_frequency=10_000)]
    left: int


def _said(turn: int) -> str:
    return chatter(SPEECH, str(turn))


def _delta(count: int) -> StateGraph[Any, Any, Any, Any]:
    """One node that speaks a given number of times."""

    def speak(state: _Talk) -> dict[str, Any]:
        return {"talk": [_said(state["left"])], "left": state["left"] - 1}

    page: StateGraph[Any, Any, Any, Any] = StateGraph(_Talk)
    page.add_node("speak", speak)
    page.add_edge(START, "speak")
    page.add_conditional_edges("speak", lambda t: "speak" if t["left"] else END, ["speak", END])
    return page


async def _peer(page: StateGraph[Any, Any, Any, Any], given: dict[str, Any]) -> tuple[int, int]:
    with scratch() as folder:
        file = folder / "checkpoints.sqlite"
        async with AsyncSqliteSaver.from_conn_string(str(file)) as kept:
            config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 10_000}
            app = page.compile(checkpointer=kept)
            await app.ainvoke(given, config, durability="sync")
        return _bytes(file)


async def _ours(count: int, rounds: int) -> tuple[int, int]:
    """As many bargainings as it takes, one before each turn of the game; nothing is agreed."""
    room = RunConfig(
        game="prisoners_dilemma",
        params={"rounds": count // (2 * rounds)},
        rounds=rounds,
        renegotiate="every 1",
    )
    script = haggler(
        [{"kind": "do", "agent": "Alice", "action": "cooperate"}],
        "cooperate",
        SPEECH,
        agreeing=False,
    )
    with scratch(), scripted_reply(script):
        async with clients():
            await play("negotiation", room)
        return _bytes(home().checkpoints)


def _bytes(file: Path) -> tuple[int, int]:
    """Bytes of checkpoints, and of the writes that were kept between them."""
    with closing(sqlite3.connect(file)) as connection:
        sums = (
            "SELECT sum(length(checkpoint) + length(metadata)) FROM checkpoints",
            "SELECT coalesce(sum(length(value)), 0) FROM writes",
        )
        saved, pending = (connection.execute(query).fetchone()[0] for query in sums)
    return saved, pending
