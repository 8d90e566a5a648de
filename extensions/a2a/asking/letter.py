"""A letter as an A2A message: one text part for models, one data part for programs."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from shapley_coop.deals.language.wire import PROTOCOL

if TYPE_CHECKING:
    from a2a.types import Message

    from shapley_coop.seats.asking import Enquiry

EXTENSION = "urn:shapley-coop:a2a:letters:v1"
"""Names the data part, in the message and in the header `A2A-Extensions`."""


def message_of(
    question: "Enquiry", form: Mapping[str, Any] | None, memory: bool, task: str
) -> "Message":
    """Return the message that asks an agent a question.

    Its id is the letter's and the attempt's, so that a message that arrives twice can be told from
    two messages.

    Args:
        question: the letter.
        form: the JSON schema of an answer in fields; None where the act has none.
        memory: whether all letters of an episode to this agent are one conversation.
        task: the id of a task of the agent's that goes on with this; empty for a new one.
    """
    from a2a.helpers import new_data_part, new_text_part
    from a2a.types import Message, Role

    q = question
    talk = f"{q.episode}/{q.agent}" if memory else f"{q.episode}/{q.agent}/{q.at}"
    return Message(
        message_id=f"{q.name[:32]}.{q.attempt}",
        # LangGraph takes this for a thread's id, which is a UUID.
        context_id=str(uuid5(NAMESPACE_URL, talk)),
        task_id=task,
        role=Role.ROLE_USER,
        # One text alone: LangGraph gives two texts the same id, and keeps the last.
        parts=[new_text_part(q.text), new_data_part({"letter": told(question, form)})],
        extensions=[EXTENSION],
    )


def told(question: "Enquiry", form: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a program is told of a letter.

    A data part has no integers: numbers in it become doubles. So all that could be hashed or
    counted is JSON in a text: `facts_json`, which holds the offer with its clauses and hash.
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
