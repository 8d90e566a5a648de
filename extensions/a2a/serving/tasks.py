"""The A2A task that represents a party's seat, computed from the run's thread and the letters."""

import json
from typing import Any, NamedTuple, cast
from uuid import NAMESPACE_URL, uuid5

from a2a.helpers import new_artifact, new_data_part, new_message, new_text_part
from a2a.types import Message, Task, TaskState, TaskStatus

from shapley_coop.extensions.a2a.asking.letter import EXTENSION
from shapley_coop.extensions.people.inbox import NothingAsked, ThreadInbox, thread_of
from shapley_coop.extensions.server.serving.in_process import inside
from shapley_coop.seats.seat import HUMAN
from shapley_coop.state.result import result
from shapley_coop.state.table import Table

TOLD = ("status", "happened", "payoffs", "transfers", "contract", "credit")
"""The parts of a run's result that a party gets; all agents may see these parts."""


class Seat(NamedTuple):
    """A party's seat in a run; one A2A task represents it.

    Attributes:
        episode: the id of the run's episode.
        agent: the agent at the seat.
    """

    episode: str
    agent: str

    @property
    def task(self) -> str:
        """The id of the seat's task."""
        return f"{self.episode}.{self.agent}"

    @classmethod
    def of_task(cls, task: str) -> "Seat":
        """Return the seat that a task's id names; a malformed id gives a seat that cannot exist."""
        episode, _, agent = task.partition(".")
        return cls(episode, agent)


class NoSuchSeat(LookupError):
    """The error if the run does not exist, or if no guest can take the seat."""


async def task_of(seat: Seat, inbox: ThreadInbox) -> Task:
    """Return the current task of a seat.

    Raises:
        NoSuchSeat: the run or the agent does not exist, or a model or program plays the agent.
    """
    thread = await thread_of(seat.episode)
    if thread is None:
        raise NoSuchSeat("There is no such play")
    task = Task(id=seat.task, context_id=str(uuid5(NAMESPACE_URL, seat.task)))
    try:
        letter = await inbox.letter(*seat)
    except NothingAsked:
        state: Any = await inside().threads.get_state(thread["thread_id"])
        _after_letters(task, seat, thread, cast(Table, state["values"] or {}))
    else:
        message = _letter(task, seat, letter)
        asked = TaskState.TASK_STATE_INPUT_REQUIRED
        task.status.CopyFrom(TaskStatus(state=asked, message=message))
    return task


def letter_id(task: Task) -> str:
    """Return the id of the letter that waits in a task, or "" if none waits."""
    return task.status.message.message_id


def _letter(task: Task, seat: Seat, letter: dict[str, Any]) -> Message:
    told = {
        "id": letter["id"],
        "episode": seat.episode,
        "agent": seat.agent,
        "act": letter["act"],
        "description": letter["description"],
        "facts_json": json.dumps(letter["facts"], ensure_ascii=False),
        "answer_schema": letter["answer_schema"],
    }
    message = new_message(
        [new_text_part(letter["letter"]), new_data_part({"letter": told})],
        context_id=task.context_id,
        task_id=task.id,
    )
    message.message_id = letter["id"]
    message.extensions.append(EXTENSION)
    return message


def _after_letters(task: Task, seat: Seat, thread: Any, table: Table) -> None:
    """Set a task's state if no letter waits: COMPLETED after the run's end, and WORKING before."""
    given = table.get("settings", {}).get("seats", {}).get(seat.agent)
    if given is None:
        raise NoSuchSeat(f"There is no {seat.agent} in this play")
    if given["model"] != HUMAN:
        raise NoSuchSeat(
            f"{given['model']} answers for {seat.agent}: a guest needs a seat that the run gives "
            f"to a {HUMAN}"
        )
    if not table.get("settlement"):
        task.status.CopyFrom(TaskStatus(state=TaskState.TASK_STATE_WORKING))
        return
    graph = str(thread["metadata"].get("graph_id", ""))
    outcome = result(thread["thread_id"], graph, table)
    told = {key: outcome.get(key) for key in TOLD}
    words = " ".join(outcome["happened"]["words"])
    payoffs = {agent: str(amount) for agent, amount in outcome["payoffs"].items()}
    data = {"status": outcome["status"], "payoffs": payoffs, "result_json": json.dumps(told)}
    task.artifacts.append(
        new_artifact(
            [new_text_part(words), new_data_part(data)],
            name="settlement",
            artifact_id="settlement",
        )
    )
    task.status.CopyFrom(TaskStatus(state=TaskState.TASK_STATE_COMPLETED))
