"""What an agent answered: read from a message, from a task, or from the events of a stream."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from shapley_coop.seats.answers import Form, tag_fields

if TYPE_CHECKING:
    from a2a.types import Artifact, Message, Part, StreamResponse, Task


class TaskFailed(Exception):
    """The agent gave a task up; the text names the state and quotes nothing."""


class Reply(NamedTuple):
    """What an agent said to one message.

    Attributes:
        text: its answer in tagged text.
        asks: whether the agent asks back, so that its task goes on with the next message.
    """

    text: str
    asks: bool = False


def reply_of(found: "Task | Message", form: Form | None) -> Reply | None:
    """Return the answer in a task or a message; None while the agent works on it.

    A completed task's status is no answer: it says that the task was completed. An agent that asks
    back has answered with its words, which do not count as long as they are none.

    Args:
        found: from the agent.
        form: the schema of an answer in fields.

    Raises:
        TaskFailed: the agent failed, refused or cancelled it, or completed it without an answer.
    """
    from a2a.types import Message, TaskState

    if isinstance(found, Message):
        return Reply(_said([found.parts], form))
    state = found.status.state
    if state == TaskState.TASK_STATE_COMPLETED:
        return Reply(_completed(found, form))
    if state == TaskState.TASK_STATE_INPUT_REQUIRED:
        words = _said([found.status.message.parts], form)
        return Reply(words, asks=True) if words else None
    if state in (
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_REJECTED,
        TaskState.TASK_STATE_CANCELED,
    ):
        name = TaskState.Name(state).removeprefix("TASK_STATE_").lower()
        raise TaskFailed(f"its task is {name}")
    return None


def _completed(task: "Task", form: Form | None) -> str:
    from a2a.types import Role

    if said := _said([artifact.parts for artifact in task.artifacts], form):
        return said
    spoken = [message for message in task.history if message.role == Role.ROLE_AGENT]
    if spoken and (said := _said([spoken[-1].parts], form)):
        return said
    raise TaskFailed("its task is completed, without an answer")


def _said(groups: Iterable[Iterable["Part"]], form: Form | None) -> str:
    """Return the fields of an answer, as tagged text; else the texts."""
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
    """Return whether an agent marks a part as thought: Google's ADK sends such parts, too."""
    mark = "adk_thought"
    return mark in part.metadata and part.metadata[mark] in (True, "true")


def _goes_on(last: "Part", part: "Part") -> bool:
    both = last.HasField("text") and part.HasField("text")
    return both and is_thought(last) == is_thought(part)


def _whole(value: Any) -> Any:
    """Numbers of a data part, which are all doubles, as whole ones where they are."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole(one) for key, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list) else value


def follow(task: "Task", event: "StreamResponse") -> "Task | Message":
    """Return a task after one more event of its stream; a message ends it."""
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
            # Words that come piece by piece are one text.
            if known.parts and _goes_on(known.parts[-1], part):
                known.parts[-1].text += part.text
            else:
                known.parts.append(part)
    else:
        known.CopyFrom(new)
