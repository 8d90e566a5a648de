"""What counts of an agent's reply."""

from typing import Any

import pytest
from a2a.helpers import new_text_part
from a2a.types import Artifact, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState

from shapley_coop.extensions.a2a.asking.reply import Reply, cost_in, follow, reply_of


def test_a_part_that_an_agent_marks_as_thought_is_no_part_of_its_answer() -> None:
    def sent(text: str, more: bool, **marks: bool) -> StreamResponse:
        part = new_text_part(text)
        part.metadata.update(marks)
        return StreamResponse(
            artifact_update=TaskArtifactUpdateEvent(
                task_id="1", append=more, artifact=Artifact(artifact_id="a", parts=[part])
            )
        )

    task = Task(id="1")
    task.status.state = TaskState.TASK_STATE_COMPLETED
    for event in (
        sent("I could <ACC", more=False, adk_thought=True),
        sent("EPT>.", more=True, adk_thought=True),
        sent("<REJ", more=True),
        sent("ECT>", more=True),
    ):
        task = follow(task, event)
    assert reply_of(task, None) == Reply("<REJECT>")


@pytest.mark.parametrize(
    ("told", "counts"),
    [
        ({"usage": {"prompt_tokens": 12, "completion_tokens": 3}}, (12, 3)),
        ({"usage_metadata": {"input_tokens": 12, "output_tokens": 0}}, (12, 0)),
        ({"usage": {"input_tokens": 12}}, None),
        ({"usage": {"input_tokens": -12, "output_tokens": 3}}, None),
        ({"usage": {"input_tokens": "12", "output_tokens": 3}}, None),
        ({"usage": [12, 3]}, None),
        ({}, None),
    ],
)
def test_only_two_whole_counts_are_a_report(
    told: dict[str, Any], counts: tuple[int, int] | None
) -> None:
    artifact = Artifact(artifact_id="a")
    artifact.metadata.update(told)
    found, _ = cost_in([Artifact(artifact_id="b"), artifact])
    assert (found and (found.input_tokens, found.output_tokens)) == counts
