"""A benchmark of storage: checkpoint bytes by the number of turns."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from benchmarks.baseline import baseline_graph
from benchmarks.figures import Figure, exponent
from benchmarks.seats import ScriptedModel, chatter, haggler, scratch, scripted_reply
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

SPEECH = 400
"""The number of characters of a public message."""


def checkpoints(turns: tuple[int, ...] = (100, 200, 500, 1000), rounds: int = 50) -> list[Figure]:
    """Measure the bytes of checkpoints on SQLite against the turns of talk between two agents.

    Args:
        turns: the numbers of messages, each a multiple of twice the rounds.
        rounds: the number of rounds of one bargaining.
    """
    ours = {count: asyncio.run(_ours(count, rounds)) for count in turns}
    usual = asyncio.run(_usual(turns[-1]))
    what = f"checkpoints after {turns[-1]} turns of {SPEECH} B"
    return [
        Figure("checkpoint bytes against turns: exponent", exponent(ours), goal=1, floor=1.1),
        Figure(what, ours[turns[-1]] / 1e6, "MB", goal=2, floor=5),
        Figure(f"{what}, LangGraph as usual", usual / 1e6, "MB"),
    ]


async def _usual(count: int) -> int:
    """Return the bytes that LangGraph as usual writes to the saver of its own library."""
    model = ScriptedModel(script=lambda _, told: chatter(SPEECH, str(len(told))))
    config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 10_000}
    with scratch() as folder:
        file = folder / "checkpoints.sqlite"
        async with AsyncSqliteSaver.from_conn_string(str(file)) as kept:
            app = baseline_graph([1] * count, model).compile(checkpointer=kept)
            await app.ainvoke({"messages": [], "wave": 0}, config, durability="sync")
        return _bytes(file)


async def _ours(count: int, rounds: int) -> int:
    """Play `count` messages of bargaining without agreement; return the checkpoints' bytes."""
    room = RunConfig(
        game="prisoners_dilemma",
        params={"rounds": count // (2 * rounds)},
        rounds=rounds,
        renegotiate="every 1",
    )
    clauses = [{"kind": "do", "agent": "Alice", "action": "cooperate"}]
    script = haggler(clauses, "cooperate", SPEECH, agreeing=False)
    with scratch(), scripted_reply(script):
        async with clients():
            await play("negotiation", room)
        return _bytes(home().checkpoints)


def _bytes(file: Path) -> int:
    """Return the bytes of the checkpoints and of the pending writes in a saver's file."""
    sums = (
        "SELECT sum(length(checkpoint) + length(metadata)) FROM checkpoints",
        "SELECT coalesce(sum(length(value)), 0) FROM writes",
    )
    with closing(sqlite3.connect(file)) as connection:
        return sum(connection.execute(query).fetchone()[0] for query in sums)
