"""The functions with which a program runs a workflow: begin, follow, answer, resume.

>>> import asyncio, os, tempfile
>>> os.environ["COOP_HOME"] = tempfile.mkdtemp()
>>> from shapley_coop.graphs.running import play
>>> from shapley_coop.state.run_config import RunConfig
>>> outcome = asyncio.run(play("shapley_coop", RunConfig(game="escape_room", seed=3)))
>>> outcome["payoffs"]
{'Alice': 4.5, 'Bob': 4.5}
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command, Interrupt, Overwrite, StateSnapshot

from shapley_coop.blocking import apart
from shapley_coop.deals.language.faults import Fault
from shapley_coop.graphs.app import App
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.replies import OpenMail, OpenQuestion, find_asked, open_questions
from shapley_coop.graphs.same_run import check_objects, check_same_config, check_same_workflow
from shapley_coop.graphs.threads import Hold, configure, hold, hold_lease, open_workflow
from shapley_coop.seats.clients import clients_here
from shapley_coop.seats.records import IGNORE, overdue
from shapley_coop.state.result import result
from shapley_coop.state.resuming import command_for
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.checkpoints.home_saver import HomeSaver
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.leases import Lease
from shapley_coop.state.storage.register import ENDED, STARTED, WAITING, Run
from shapley_coop.state.table import Table

_NO_CONTEXT = RunConfig()
"""The empty LangGraph context: runs pass their configuration as input (`room`) instead."""

_INTERRUPT = "__interrupt__"
"""The key under which LangGraph streams interrupts, which wait for people."""

Watcher = Callable[[str, dict[str, Any]], None]
"""A function called after each node with the node's name and update."""

Person = Callable[[OpenMail], Any]
"""A function that answers a letter for a person."""


class Waiting(Exception):
    """The exception that says that a run cannot go on before people reply.

    Attributes:
        agents: the agents whose replies are missing.
    """

    def __init__(self, agents: list[str]) -> None:
        super().__init__(f"waiting for {', '.join(agents)}")
        self.agents = agents


async def play(
    graph: str,
    config: RunConfig | Mapping[str, Any],
    run: str = "",
    watch: Watcher | None = None,
    person: Person | None = None,
    idempotency_key: str = "",
) -> dict[str, Any]:
    """Prepare a run, follow it to its end, and return the result; see `prepare` and `follow`."""

    def begun() -> tuple[Run, Hold]:
        entered = prepare(graph, config, run, idempotency_key)
        return entered, hold(entered)

    entered, taken = await asyncio.to_thread(begun)
    try:
        return await follow(entered, watch, person, taken=taken)
    finally:
        taken.last.close()  # this has no effect if `follow` has released the lease already


async def follow(
    run: Run,
    watch: Watcher | None = None,
    person: Person | None = None,
    traced: RunnableConfig | None = None,
    *,
    taken: Hold | None = None,
) -> dict[str, Any]:
    """Start a run, or resume it where it stopped; finished steps are not repeated.

    Args:
        run: a run from `prepare` or from the register.
        watch: a callback, called after each node with its name and update.
        person: a function that answers for the people in the run; if None, the run waits for them.
        traced: further metadata, tags and callbacks for the run's trace.
        taken: the caller's lease of the run, if it has one.

    Returns:
        The result (`state.result`).

    Raises:
        Busy: another worker plays the run.
        GraphDrained: the runs of this event loop were asked to stop; the run can be resumed.
        LeaseLost: another worker has taken the run over.
        OtherWorkflow: the run began with another version of the workflow.
        SeatError: a seat did not answer; the run can be resumed.
        ValueError: an object that had a seat in the run does not exist in this process.
        Waiting: people must reply, and `person` is None.
    """
    check_same_workflow(run)
    check_objects(run)
    if run.why:
        await asyncio.to_thread(home().runs.finish, run.run, STARTED)
    async with open_workflow(run.graph) as app:
        config = configure(run, traced)
        stands = await _go_on(app, run, config, None, watch, taken)
        while isinstance(stands, StateSnapshot):
            replies = await _replies(run, stands, person)
            stands = await _go_on(app, run, config, replies, watch)
    return stands


async def _replies(run: Run, state: StateSnapshot, person: Person | None) -> dict[str, Any]:
    """Return interrupt id → reply of the person, or IGNORE for an overdue letter."""
    waiting = state.interrupts
    late = {i.id: IGNORE for i in waiting if overdue(i.value, time.time())}
    if person is None and not late:
        raise await _waits(run, [i.value["pointer"]["agent"] for i in waiting])
    # Nobody holds the lease while people answer, so that another process can take their replies.
    asked = [i for i in waiting if i.id not in late]
    at = open_questions(run.graph, cast(Table, state.values), state.tasks)
    return {i.id: await _reply(at, i, person) for i in asked if person} | late


def _finish(run: Run, table: Table) -> dict[str, Any]:
    """Seal a run's result and enter it in the register in one transaction; return the result."""
    outcome, runs = result(run.run, run.graph, table), home().runs
    home().chain.seal(
        run.run, table, outcome, lambda session: runs.finish_in(session, run.run, ENDED, outcome)
    )
    return outcome


async def _waits(run: Run, agents: list[str]) -> Waiting:
    """Enter in the register for whom a run waits, and return the exception that names them."""
    why = f"waits for {', '.join(agents)}: {command_for(run, 'answer', agents[0])}"
    await asyncio.to_thread(home().runs.finish, run.run, WAITING, None, why)
    return Waiting(agents)


async def _go_on(
    app: App,
    run: Run,
    config: RunnableConfig,
    replies: dict[str, Any] | None,
    watch: Watcher | None,
    taken: Hold | None = None,
) -> StateSnapshot | dict[str, Any]:
    """Advance a run under its lease; return its state if it waits for people, else its result.

    The result is computed from the streamed table; reading the state takes as long as a turn.

    Args:
        app: the compiled workflow.
        config: the run's LangGraph configuration.
        replies: interrupt id → reply; if None, begin the run or resume its unfinished steps.
        watch: a callback, called after each node with its name and update.
        taken: the caller's lease of the run, if it has one.
    """
    outcome: dict[str, Any] = {}
    async with hold_lease(run, taken) as here:
        ended = None
        if replies is None:
            given = None if await _begun(app, run, config) else {"room": run.room}
            ended = await _advance(app, run, given, watch, here.lease, config)
        # Another process may have answered some letters meanwhile; drop our replies to these.
        elif heard := {
            i: replies[i] for i in await _find_interrupts(app, run, config) if i in replies
        }:
            ended = await _advance(app, run, Command(resume=heard), watch, here.lease, config)
        if ended is None:
            state = await app.aget_state(config)
            if state.interrupts:
                return state
            ended = state.values
        here.last.callback(lambda table: outcome.update(_finish(run, table)), cast(Table, ended))
    return outcome


async def _begun(app: App, run: Run, config: RunnableConfig) -> bool:
    """Return whether a run has begun; if it has no checkpoint, skip building its state (slow)."""
    if await cast(BaseCheckpointSaver[Any], app.checkpointer).aget_tuple(config) is None:
        return False
    state = await app.aget_state(config)
    # If the run was killed right after its input was written, it has tasks but no table yet.
    return check_same_config(run, state.values) or bool(state.tasks)


async def _find_interrupts(app: App, run: Run, config: RunnableConfig) -> list[str]:
    """Return the ids of the interrupts that a run waits for."""
    state = await app.aget_state(config)
    check_same_config(run, state.values)
    return [interrupt.id for interrupt in state.interrupts]


async def answer(
    run: Run, agent: str, reply: Any, watch: Watcher | None = None, meant: str = ""
) -> Fault | None:
    """Pass one person's reply to the run, and advance the run as far as possible.

    Return the fault of a refused reply, which leaves the run waiting, or None. `meant` is the id
    of the interrupt that the person saw, if it is known.

    Raises:
        Busy: another worker plays the run.
        OtherWorkflow: the run began with another version of the workflow.
        ValueError: the agent is asked nothing or another question, or a seat's object is missing.
    """
    check_same_workflow(run)
    check_objects(run)
    async with open_workflow(run.graph) as app, hold_lease(run) as here:
        config = configure(run)
        state = await app.aget_state(config)
        check_same_config(run, state.values)
        asked = find_asked(state.interrupts, agent, meant)
        at = open_questions(run.graph, cast(Table, state.values), state.tasks)
        if fault := await asyncio.to_thread(at[agent].refusal, reply):
            return fault
        await _advance(app, run, Command(resume={asked.id: reply}), watch, here.lease, config)
        left = [i.value["pointer"]["agent"] for i in (await app.aget_state(config)).interrupts]
        if left:
            await _waits(run, left)
        else:
            await asyncio.to_thread(home().runs.finish, run.run, STARTED)
        return None


async def _advance(
    app: App,
    run: Run,
    given: Any,
    watch: Watcher | None,
    lease: Lease,
    config: RunnableConfig,
) -> dict[str, Any] | None:
    """Advance a run; return the table at its end, or None if the run now waits for people."""
    ended: dict[str, Any] | None = None
    waits = False
    saver = cast(HomeSaver, app.checkpointer)
    saver.fences[run.run] = lease.check
    how: Any = {"stream_mode": ["updates", "values"], "durability": "sync"}
    try:
        with clients_here().stopping.advancing() as control:
            stream = app.astream(given, config, context=_NO_CONTEXT, control=control, **how)
            async for mode, told in cast(AsyncIterator[tuple[str, dict[str, Any]]], stream):
                if mode == "values":
                    ended = told
                    continue
                waits = waits or _INTERRUPT in told
                for node, written in told.items():
                    if isinstance(written, dict):
                        check_same_config(run, written)
                        if watch:
                            watch(node, _news(written))
    finally:
        saver.fences.pop(run.run, None)
    return None if waits else ended


async def _reply(at: Mapping[str, OpenQuestion], asked: Interrupt, person: Person) -> Any:
    """Ask a person until a reply is accepted, and return that reply."""
    agent = asked.value["pointer"]["agent"]
    while True:
        reply = await apart(person, await asyncio.to_thread(_mail, asked, at[agent]))
        if await asyncio.to_thread(at[agent].refusal, reply) is None:
            return reply


def _mail(asked: Interrupt, question: OpenQuestion) -> OpenMail:
    pointer = asked.value["pointer"]
    mail = home().journal.mail(pointer["episode"], pointer["agent"])
    if mail is None:
        raise ValueError(f"no letter of {pointer['agent']} waits at its seat")
    return OpenMail(**vars(mail), question=question)


def _news(written: dict[str, Any]) -> dict[str, Any]:
    """Return a node's update, but not the keys that it resets to an initial value (`Overwrite`)."""
    return {key: value for key, value in written.items() if not isinstance(value, Overwrite)}
