"""Letters as A2A messages, with one text part for models and one data part for programs."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from shapley_coop.deals.language.wire import PROTOCOL

if TYPE_CHECKING:
    from a2a.types import Message

    from shapley_coop.seats.asking import Enquiry

EXTENSION = "urn:shapley-coop:a2a:letters:v1"
"""The URI of the data part's format, in the message and in the header `A2A-Extensions`."""


def message_of(
    question: "Enquiry", form: Mapping[str, Any] | None, memory: bool, task: str
) -> "Message":
    """Return the A2A message that sends a letter to an agent.

    The message id consists of the letter's name and the attempt, so the agent can recognize a
    message that arrives twice.

    Args:
        question: the letter.
        form: the JSON schema of an answer in fields, or None if answers are text only.
        memory: whether all letters to this agent in an episode share one conversation.
        task: the id of the agent's task that this message continues; empty for a new task.
    """
    from a2a.helpers import new_data_part, new_text_part
    from a2a.types import Message, Role

    q = question
    talk = f"{q.episode}/{q.agent}" if memory else f"{q.episode}/{q.agent}/{q.at}"
    return Message(
        message_id=f"{q.name[:32]}.{q.attempt}",
        # LangGraph's server uses the context id as the thread's id, which must be a UUID.
        context_id=str(uuid5(NAMESPACE_URL, talk)),
        task_id=task,
        role=Role.ROLE_USER,
        # Send only one text part: of two, LangGraph's server keeps only the last.
        parts=[new_text_part(q.text), new_data_part({"letter": told(question, form)})],
        extensions=[EXTENSION],
    )


def told(question: "Enquiry", form: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the content of a letter's data part, for programs.

    A2A turns all numbers in a data part into doubles. So the facts, such as the offer with its
    clauses and hash, are a JSON string: `facts_json`.
    """
    q = question
    return {
        "id": q.name,
        "protocol": PROTOCOL,
        "episode": q.episode,
        "agent": q.agent,
        "act": q.act,
        "attempt": str(q.attempt),
        "why": q.why,
        "facts_json": json.dumps(q.letter.facts, ensure_ascii=False),
        "answer_schema": dict(form) if form else None,
    }
