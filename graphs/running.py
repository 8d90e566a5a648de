"""Running a workflow from a program: begin, follow, resume.

>>> import asyncio, os, tempfile
>>> os.environ["COOP_HOME"] = tempfile.mkdtemp()
>>> from graphs.running import play
>>> from state import Room
>>> outcome = asyncio.run(play("shapley_coop", Room(game="escape_room", seed=3)))
>>> outcome["payoffs"]
{'Alice': 4.5, 'Bob': 4.5}
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Interrupt, Overwrite

from graphs.catalogue import builder
from seats import Mail, check_seat, clients
from state import Opening, Room, Run, Table, game_of, home, result, saver

Watcher = Callable[[str, dict[str, Any]], None]
"""Called after each node with its name and its update."""

Person = Callable[[Mail], Any]
"""Answers a letter for a person."""


class Waiting(Exception):
    """People are asked, and the run waits for them.

    Attributes:
        agents: for whom.
    """

    def __init__(self, agents: list[str]) -> None:
        super().__init__(f"waiting for {', '.join(agents)}")
        self.agents = agents


App = CompiledStateGraph[Table, Room, Opening, Table]


def prepare(graph: str, room: Room, run: str = "") -> Run:
    """Check everything that can be checked, and enter the run in the register.

    Raises:
        ValueError: the workflow, the game, a parameter, an agent or a seat is wrong.
        CredentialsMissing: a seat's key is not set.
    """
    builder(graph)
    resolved = room.resolve()
    game_of(resolved.model_dump(mode="json")).make_ready()
    for seat in resolved.seats.values():
        check_seat(seat)
    game = resolved.game if isinstance(resolved.game, str) else "game"
    name = run or f"{game}-{uuid4().hex[:8]}"
    home().runs.begin(name, graph, resolved.model_dump(mode="json"))
    return home().runs.get(name)


async def play(
    graph: str,
    room: Room,
    run: str = "",
    watch: Watcher | None = None,
    person: Person | None = None,
) -> dict[str, Any]:
    """Prepare a run and follow it to its end; see `prepare` and `follow`."""
    return await follow(await asyncio.to_thread(prepare, graph, room, run), watch, person)


async def follow(
    run: Run, watch: Watcher | None = None, person: Person | None = None
) -> dict[str, Any]:
    """Start a run, or go on where it stopped: whatever was finished is not done again.

    Args:
        run: from `prepare`, or from the register.
        watch: called after each node.
        person: answers for the people at the table; without it they are waited for.

    Returns:
        The result (`state.result`).

    Raises:
        SeatError: a seat did not answer; the run can be resumed.
        Waiting: people are asked, and nobody here answers for them.
    """
    async with opened(run.graph) as app:
        config = configured(run)
        begun = (await app.aget_state(config)).created_at is not None
        await _advance(app, config, None if begun else {"room": run.room}, watch)
        while waiting := (await app.aget_state(config)).interrupts:
            if person is None:
                raise Waiting([i.value["pointer"]["agent"] for i in waiting])
            replies = {i.id: await asyncio.to_thread(person, _mail(i)) for i in waiting}
            await _advance(app, config, Command(resume=replies), watch)
        table = cast(Table, (await app.aget_state(config)).values)
    outcome = result(run.run, run.graph, table)
    await asyncio.to_thread(home().runs.finish, run.run, "ended", outcome)
    return outcome


async def answer(run: Run, agent: str, reply: Any) -> None:
    """Answer for one person; the run goes on as far as it can.

    Raises:
        ValueError: nothing is asked of that agent now.
    """
    async with opened(run.graph) as app:
        config = configured(run)
        asked = {
            i.value["pointer"]["agent"]: i.id for i in (await app.aget_state(config)).interrupts
        }
        if agent not in asked:
            waiting = ", ".join(sorted(asked)) or "nobody"
            raise ValueError(f"nothing is asked of {agent} now: {waiting} is waited for")
        await _advance(app, config, Command(resume={asked[agent]: reply}), None)


async def _advance(app: App, config: RunnableConfig, given: Any, watch: Watcher | None) -> None:
    stream = app.astream(given, config, context=Room(), stream_mode="updates", durability="sync")
    async for update in stream:
        for node, written in cast(dict[str, Any], update).items():
            if watch and isinstance(written, dict):
                watch(node, _news(written))


def _mail(asked: Interrupt) -> Mail:
    pointer = asked.value["pointer"]
    mail = home().journal.mail(pointer["episode"], pointer["agent"])
    if mail is None:
        raise ValueError(f"the letter of {pointer['agent']} is not at its seat")
    return mail


async def table_of(run: Run) -> Table:
    """The latest state of a run's table; empty before its first checkpoint."""
    async with opened(run.graph) as app:
        return cast(Table, (await app.aget_state(configured(run))).values)


def _news(written: dict[str, Any]) -> dict[str, Any]:
    """What an update adds, without the keys that it only clears."""
    return {key: value for key, value in written.items() if not isinstance(value, Overwrite)}


@asynccontextmanager
async def opened(graph: str) -> AsyncIterator[App]:
    """A workflow compiled with the home's saver."""
    async with clients(), saver(home()) as checkpoints:
        yield builder(graph).compile(checkpointer=checkpoints, name=graph)


def _steps(turns: int, agents: int, rounds: int) -> int:
    """The most steps a run can take.

    Three nodes a turn; in each bargaining, begun again after every turn at most, two nodes for
    each time that somebody speaks, those who write and sign, and the fixed ones.
    """
    return 30 + 3 * turns + (turns + 1) * (4 * rounds * agents + 8)


def configured(run: Run) -> RunnableConfig:
    """The run's configuration: its thread, its bounds, and how it is traced."""
    room = Room.model_validate(run.room)
    game = game_of(run.room)
    name = room.game if isinstance(room.game, str) else str(room.game.get("name", "game"))
    simulated = any(seat.simulated for seat in room.seats.values())
    return {
        "configurable": {"thread_id": run.run},
        "recursion_limit": _steps(game.turns, len(game.agents), room.rounds),
        "run_name": f"{run.graph}/{name}#{room.seed}",
        "tags": [run.graph, name, *(["simulated"] if simulated else [])],
        "metadata": {
            "run": run.run,
            "graph": run.graph,
            "game": name,
            "seed": room.seed,
            "agents": list(game.agents),
            "simulated": simulated,
        },
    }
