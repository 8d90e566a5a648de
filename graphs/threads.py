"""The LangGraph thread of a run: its compiled workflow, its configuration, its latest state."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManager
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from shapley_coop.graphs.app import App
from shapley_coop.graphs.catalogue import builder, compiled
from shapley_coop.prompts import fingerprint
from shapley_coop.seats.clients import clients_here
from shapley_coop.seats.records import AnswerKey, Pointer
from shapley_coop.seats.tracing import trace_quietly, tracing
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.home_files.kept import pack_of
from shapley_coop.state.settings import config_of, game_of, name_of
from shapley_coop.state.storage.checkpoints.savers import shared_saver
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.leases import Lease
from shapley_coop.state.storage.owners import OWNER_KEY, holder
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import Table
from shapley_coop.state.traces import searched_by
from shapley_coop.state.turn import TurnContext


async def table_of(run: Run) -> Table:
    """Return a run's latest table, or {} before the run's first checkpoint."""
    async with open_workflow(run.graph) as app:
        return cast(Table, (await app.aget_state(configure(run))).values)


async def remove(run: Run) -> None:
    """Delete a run with its letters and checkpoints; the ledger keeps what the run paid.

    Raises:
        Busy: a worker plays the run.
    """
    async with open_workflow(run.graph) as app, hold_lease(run):
        table = cast(Table, (await app.aget_state(_thread(run))).values)
        if episode := table.get("episode"):
            await asyncio.to_thread(home().journal.remove, episode)
        await cast(BaseCheckpointSaver[Any], app.checkpointer).adelete_thread(run.run)
        await asyncio.to_thread(home().runs.remove, run.run)
        await asyncio.to_thread(home().leases.forget, run.run)


@dataclass(frozen=True)
class Hold:
    """The exclusive right of this worker to play a run.

    Attributes:
        lease: the lease of the run.
        last: a stack that, when closed, runs its callbacks and then releases the lease.
    """

    lease: Lease
    last: ExitStack


def hold(run: Run) -> Hold:
    """Take the lease of a run.

    Raises:
        Busy: another worker has the lease.
    """
    last = ExitStack()
    lease = last.enter_context(home().leases.of(run.run))
    return Hold(lease, last)


@asynccontextmanager
async def hold_lease(run: Run, taken: Hold | None = None) -> AsyncIterator[Hold]:
    """Hold a run's lease during the `with` block, and release the lease in a worker thread.

    Args:
        taken: the caller's lease of the run, if it has one.

    Raises:
        Busy: another worker has the lease.
    """
    here = await asyncio.to_thread(hold, run) if taken is None else taken
    try:
        yield here
    finally:
        await asyncio.to_thread(here.last.close)


def _thread(run: Run) -> RunnableConfig:
    """Return the LangGraph configuration of a run's thread, but without the recursion limit."""
    return {"configurable": {"thread_id": run.run}}


async def askings_of(run: Run) -> dict[str, TurnContext]:
    """Return `TurnContext.at` → the context, for each time that the run asked agents."""
    found: dict[str, TurnContext] = {}
    askings = builder(run.graph).askings
    async with open_workflow(run.graph) as app:
        async for state in app.aget_state_history({"configurable": {"thread_id": run.run}}):
            for node in dict.fromkeys(x.name for x in state.tasks if x.name in askings):
                turn = TurnContext(EvaluatedTable(cast(Table, state.values)), askings[node], ())
                found[turn.at] = turn
    return found


async def pointers_of(run: Run, episode: str) -> dict[AnswerKey, Pointer]:
    """Return the pointers in a run's checkpoints to answers in the journal, with their hashes.

    Args:
        episode: the id of the episode whose checkpoints are read.
    """
    held: dict[AnswerKey, Pointer] = {}
    async with open_workflow(run.graph) as app:
        # Read raw checkpoints: `aget_state_history` would rebuild the record for each of them.
        async for kept in cast(BaseCheckpointSaver[Any], app.checkpointer).alist(_thread(run)):
            values = kept.checkpoint["channel_values"]
            if values.get("episode") == episode:
                for agent, pointer in chain(_pointers(values), _find_reasoning(kept)):
                    held[agent, pointer["letter"], pointer["attempt"]] = pointer
    return held


def _pointers(values: Mapping[str, Any]) -> Iterator[tuple[str, Pointer]]:
    """Yield the agent and the pointer of each answer in a checkpoint's values."""
    for agent, draft in values.get("drafts", {}).items():
        if "pointer" in draft:
            yield agent, draft["pointer"]
    for agent, said in values.get("sealed", {}).items():
        if "pointer" in said:
            yield agent, said["pointer"]
    yield from values.get("thoughts", {}).items()


def _find_reasoning(kept: CheckpointTuple) -> Iterator[tuple[str, Pointer]]:
    """Yield the agent and the pointer of all reasoning in a checkpoint's pending writes."""
    for _, key, written in kept.pending_writes or ():
        if key == "reasoned":
            yield from ((one["agent"], one["pointer"]) for one in written)


@asynccontextmanager
async def open_workflow(graph: str) -> AsyncIterator[App]:
    """Open a workflow compiled with the home's saver; secrets are redacted in its traces."""
    if tracing():
        await asyncio.to_thread(trace_quietly, home().secrets)
    here = home()
    async with shared_saver(here) as checkpoints:
        kept = clients_here().kept
        if (graph, here) not in kept:  # reused until the saver closes
            kept[graph, here] = compiled(graph).copy({"checkpointer": checkpoints})
        yield kept[graph, here]


_MOST_TRIES = 10
"""The largest number of tries for one message that a configuration or a game allows."""


def _steps(turns: int, agents: int, rounds: int) -> int:
    """Return the largest number of steps that a run can take, for LangGraph's recursion limit.

    Each turn's action may take all tries, with a wait for people after each try. A bargaining may
    follow each turn, and each proposal and answer may take all tries. Workflows with delegates also
    need steps for votes and signatures in each round.
    """
    each = 2 * _MOST_TRIES
    bargaining = 2 * (each + 1) * rounds * (agents + 2) + each + 12
    return 30 + turns * (each + 3) + (turns + 1) * bargaining


def configure(run: Run, traced: RunnableConfig | None = None) -> RunnableConfig:
    """Return the run's LangGraph configuration: thread, recursion limit, and trace labels.

    Args:
        traced: further metadata, tags and callbacks for the trace.
    """
    given = config_of(run.room)
    game, name = game_of(run.room), name_of(given)
    found_by = searched_by(run.room)
    labels = {"run": run.run, "graph": run.graph, "game": name}
    # LangGraph copies all labels at each step, so most are added only if a trace or callback is on.
    if traced or tracing() or AsyncCallbackManager.configure().handlers:
        labels |= {"prompt_hash": fingerprint(pack_of(given.prompts)), **found_by}
    config: RunnableConfig = {
        # A run that a node of another graph plays belongs to the owner of that graph's thread.
        "configurable": {"thread_id": run.run, OWNER_KEY: holder().owner},
        "recursion_limit": _steps(game.turns, len(game.agents), given.rounds),
        "run_name": f"{run.graph}/{name}#{given.seed}",
        "tags": [run.graph, name, *(["simulated"] if found_by["simulated"] else [])],
        "metadata": labels,
    }
    return merge_configs(config, traced) if traced else config
