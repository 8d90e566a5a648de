"""A benchmark of storage: checkpoint bytes by the number of turns."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

from langgraph.channels import DeltaChannel
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from benchmarks.baseline import baseline_graph
from benchmarks.seats import ScriptedModel, chatter, haggler, scratch, scripted_reply
from benchmarks.tables import Cell, Found, Goal, exponent
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

SPEECH = 400
"""The number of characters of a public message."""

DELTA, ADDING, TABLE = "a bare DeltaChannel", "LangGraph as usual, adding list", "ours"


def checkpoints(turns: tuple[int, ...] = (100, 200, 500, 1000), rounds: int = 50) -> Found:
    """Measure checkpoint bytes against turns of talk between two agents.

    Args:
        turns: the numbers of messages, each a multiple of twice the rounds.
        rounds: the number of rounds of one bargaining.
    """
    return asyncio.run(_checkpoints(turns, rounds))


async def _checkpoints(turns: tuple[int, ...], rounds: int) -> Found:
    written: dict[str, list[tuple[int, int]]] = {DELTA: [], ADDING: [], TABLE: []}
    for count in turns:
        written[DELTA].append(await _peer(_delta(), {"talk": [], "left": count}))
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
            Goal("checkpoint bytes against turns: exponent", 1, slope, must=1.1),
            Goal(f"checkpoints after {turns[-1]} turns of {SPEECH} B", 2, whole, "MB", must=5),
        ],
    )


def _extend(talk: list[str], writes: Sequence[list[str]]) -> list[str]:
    return [*talk, *(line for write in writes for line in write)]


class _Talk(TypedDict):
    talk: Annotated[list[str], DeltaChannel(_extend, list, snapshot_frequency=10_000)]
    left: int


def _said(turn: int) -> str:
    return chatter(SPEECH, str(turn))


def _delta() -> StateGraph[Any, Any, Any, Any]:
    """Return a graph whose only node speaks `left` times."""

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
    """Play `count` messages of bargaining without agreement; return the checkpoints' bytes."""
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
    """Return the bytes of the checkpoints and of the pending writes in a saver's file."""
    with closing(sqlite3.connect(file)) as connection:
        sums = (
            "SELECT sum(length(checkpoint) + length(metadata)) FROM checkpoints",
            "SELECT coalesce(sum(length(value)), 0) FROM writes",
        )
        saved, pending = (connection.execute(query).fetchone()[0] for query in sums)
    return saved, pending
