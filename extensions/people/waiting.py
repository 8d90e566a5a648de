"""The letter that waits for a person in a run of this home."""

from typing import Any, cast

from langgraph.types import Interrupt, StateSnapshot

from shapley_coop.graphs.replies import OpenQuestion, by_agent, open_questions
from shapley_coop.graphs.threads import configure, open_workflow
from shapley_coop.seats.records import Mail
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table


async def state_of(run: Any) -> StateSnapshot:
    """Return the latest state of a run's graph."""
    async with open_workflow(run.graph) as app:
        return await app.aget_state(configure(run))


async def find_waiting(run: Any, agent: str) -> tuple[Mail, OpenQuestion, Interrupt] | None:
    """Return a person's waiting letter, its open question and its interrupt, or None."""
    state = await state_of(run)
    asked = by_agent(state.interrupts)
    mail = home().journal.mail(state.values.get("episode", ""), agent)
    if mail is None or agent not in asked:
        return None
    questions = open_questions(run.graph, cast(Table, state.values), state.tasks)
    return mail, questions[agent], asked[agent]
