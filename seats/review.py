"""Requests to a person to review an action, in the format of LangChain's agents.

An interrupt's value holds `action_requests` and `review_configs`; Agent Chat UI and Studio show it.
The run is resumed with `{"decisions": [decision]}`: approve, edit, reject or respond.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

Decision = Literal["approve", "edit", "reject", "respond"]


def review(
    name: str,
    args: Mapping[str, Any],
    said: str,
    allowed: Sequence[Decision],
    form: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the value of an interrupt that asks for the review of one action.

    Args:
        name: the name of the action.
        args: the arguments that an approval would accept.
        said: the question to the person, in Markdown.
        allowed: the decisions that the person may make.
        form: the JSON schema of the arguments.
    """
    config = {"action_name": name, "allowed_decisions": list(allowed), "args_schema": dict(form)}
    return {
        "action_requests": [{"name": name, "args": dict(args), "description": said}],
        "review_configs": [config],
    }


def read_decision(reply: Any) -> Mapping[str, Any] | None:
    """Return the decision in a reply, or None unless the reply holds exactly one.

    >>> read_decision({"decisions": [{"type": "approve"}]})
    {'type': 'approve'}
    >>> read_decision({"type": "respond", "message": "Ann is Anna"})["message"]
    'Ann is Anna'
    """
    if isinstance(reply, list) and len(reply) == 1:
        reply = reply[0]
    given = reply.get("decisions") if isinstance(reply, Mapping) else None
    one = given[0] if isinstance(given, list) and len(given) == 1 else reply
    known = ("approve", "edit", "reject", "respond")
    return one if isinstance(one, Mapping) and one.get("type") in known else None


def edited_arguments(decision: Mapping[str, Any]) -> Any:
    """Return the new arguments of an edited action, or None if the decision edits no action."""
    action = decision.get("edited_action")
    return action.get("args") if isinstance(action, Mapping) else None
