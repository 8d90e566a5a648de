"""A person's reply at a seat's page, as the response that resumes the run."""

import json
from collections.abc import Mapping
from typing import Any

from shapley_coop.extensions.people.form import FIELDS, message_of
from shapley_coop.extensions.people.letter import allowed_replies
from shapley_coop.graphs.replies import OpenQuestion
from shapley_coop.seats.person import as_message
from shapley_coop.seats.records import Mail
from shapley_coop.state.additions import find_additions


def one_object(body: bytes) -> dict[str, Any]:
    """Return a request's body as one JSON object.

    Raises:
        ValueError: the body is not one JSON object.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("send the reply as one JSON object") from None
    if not isinstance(found, dict):
        raise ValueError("send the reply as one JSON object")
    return found


def response_of(
    reply: Mapping[str, Any], mail: Mail, question: OpenQuestion, asked: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the response to an interrupt, with the reply's keys for extensions in its message.

    Args:
        reply: `type`, `args`, and the keys of extensions, such as `signature`.
        mail: the letter that the reply answers, from the journal.
        question: the question that the thread asks now.
        asked: the value of the thread's interrupt.

    Raises:
        ValueError: the kind of reply is not allowed, its fields are wrong, or an extension cannot
            read the key that is meant for it.
    """
    kind, args = str(reply.get("type")), reply.get("args")
    if kind == FIELDS:
        kind, args = "response", message_of(mail.act, args)
    if kind not in (kinds := allowed_replies(asked)):
        raise ValueError(f"type is one of {', '.join(kinds)}")
    response = {"type": kind, "args": args}
    if kind == "ignore":
        return response
    config = question.turn().evaluated.config
    carried = "".join(one.addition.carried(reply) for one in find_additions(config))
    return {"type": "response", "args": as_message(response) + carried} if carried else response
