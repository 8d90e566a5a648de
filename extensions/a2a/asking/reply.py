"""Functions that read an agent's answer from a message, a task, or the events of a stream."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from shapley_coop.extensions.a2a.costs import Cost, sum_of
from shapley_coop.seats.answers import Form, tag_fields

if TYPE_CHECKING:
    from a2a.types import Artifact, Message, Part, StreamResponse, Task


USAGE = ("usage", "usage_metadata", "adk_usage_metadata")
"""The keys of metadata under which agents report their token counts."""


class TaskFailed(Exception):
    """The error if an agent ends a task without an answer; it names the task's final state."""


class Reply(NamedTuple):
    """An agent's reply to one message.

    Attributes:
        text: the answer in tagged text.
        asks: whether the agent asks for input; if so, the next message continues the task.
        cost: the cost that the agent reports, with its agents' costs; None if it reports none.
        note: why a cost that the agent reports is not usable, or "".
    """

    text: str
    asks: bool = False
    cost: Cost | None = None
    note: str = ""


def reply_of(found: "Task | Message", form: Form | None) -> Reply | None:
    """Return the answer in a task or a message, or None while the agent works on the task.

    The status message of a completed task is not an answer. If an agent asks for input, the text of
    its request is the answer; a request without text gives None.

    Args:
        found: the task or message from the agent.
        form: the schema of an answer that is given in fields, not in tagged text.

    Raises:
        TaskFailed: the task failed, was rejected or cancelled, or is completed without an answer.
    """
    from a2a.types import Message, TaskState

    if isinstance(found, Message):
        return Reply(_said([found.parts], form), False, *cost_in([found]))
    state, told = found.status.state, [*found.artifacts, found.status.message, found]
    if state == TaskState.TASK_STATE_COMPLETED:
        said = _completed(found, form)
        return Reply(said, False, *cost_in([*told, *reversed(found.history)]))
    if state == TaskState.TASK_STATE_INPUT_REQUIRED:
        words = _said([found.status.message.parts], form)
        return Reply(words, True, *cost_in(told)) if words else None
    if state in (
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_REJECTED,
        TaskState.TASK_STATE_CANCELED,
    ):
        name = TaskState.Name(state).removeprefix("TASK_STATE_").lower()
        raise TaskFailed(f"its task is {name}")
    return None


def cost_in(told: Iterable["Task | Message | Artifact"]) -> tuple[Cost | None, str]:
    """Return the cost in the first metadata that report one, and why others are not usable.

    A2A has no field for costs, so the field names of LangChain, OpenAI, Google's ADK are tried.
    """
    from google.protobuf.json_format import MessageToDict

    note = ""
    for metadata in (one.metadata for one in told):
        for key in (key for key in USAGE if key in metadata):
            try:
                return sum_of(MessageToDict(metadata)[key]), note
            except ValueError as error:  # protobuf raises it too, for NaN and infinity
                note = str(error)
            except RecursionError:
                note = "they are nested too deeply"
    return None, note


def _completed(task: "Task", form: Form | None) -> str:
    from a2a.types import Role

    if said := _said([artifact.parts for artifact in task.artifacts], form):
        return said
    spoken = [message for message in task.history if message.role == Role.ROLE_AGENT]
    if spoken and (said := _said([spoken[-1].parts], form)):
        return said
    raise TaskFailed("its task is completed without an answer")


def _said(groups: Iterable[Iterable["Part"]], form: Form | None) -> str:
    """Return the first `answer` in a data part as tagged text, or else all text parts joined."""
    from google.protobuf.json_format import MessageToDict

    texts = []
    for part in (part for group in groups for part in group):
        if is_thought(part):
            continue
        if part.HasField("data"):
            data: Any = MessageToDict(part.data)
            if isinstance(data, Mapping) and "answer" in data and form:
                return tag_fields(str(form["title"]), _whole(data["answer"]))
        elif part.HasField("text"):
            texts.append(part.text)
    return "\n".join(filter(None, texts))


def is_thought(part: "Part") -> bool:
    """Return whether a part is marked as private thought, as Google's ADK does."""
    mark = "adk_thought"
    return mark in part.metadata and part.metadata[mark] in (True, "true")


def _goes_on(last: "Part", part: "Part") -> bool:
    both = last.HasField("text") and part.HasField("text")
    return both and is_thought(last) == is_thought(part)


def _whole(value: Any) -> Any:
    """Return a data part's value with whole numbers as ints; A2A has turned them into doubles."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole(one) for key, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list) else value


def follow(task: "Task", event: "StreamResponse") -> "Task | Message":
    """Apply a stream's event to a task; return the task, or the message if the event is one."""
    if event.HasField("message"):
        return event.message
    if event.HasField("task"):
        task.CopyFrom(event.task)
    elif event.HasField("status_update"):
        task.id = event.status_update.task_id
        _keep_status(task, event)
    elif event.HasField("artifact_update"):
        task.id = event.artifact_update.task_id
        _keep_artifact(task, event.artifact_update.artifact, event.artifact_update.append)
    return task


def _keep_status(task: "Task", event: "StreamResponse") -> None:
    from a2a.types import TaskState

    status = event.status_update.status
    working = status.state == TaskState.TASK_STATE_WORKING
    if working and status.HasField("message"):
        task.history.append(status.message)
    task.status.CopyFrom(status)


def _keep_artifact(task: "Task", new: "Artifact", append: bool) -> None:
    known = next((one for one in task.artifacts if one.artifact_id == new.artifact_id), None)
    if known is None:
        task.artifacts.append(new)
    elif append:
        for part in new.parts:
            # An agent may stream one text in several pieces, so join them.
            if known.parts and _goes_on(known.parts[-1], part):
                known.parts[-1].text += part.text
            else:
                known.parts.append(part)
    else:
        known.CopyFrom(new)
