"""Asking a person to review an action, in the shape of LangChain's agents.

An interrupt holds `action_requests` and `review_configs`, and is resumed with
`{"decisions": [decision]}`: approve, edit, reject or respond. Agent Chat UI and Studio show it.
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
    """Return the value of an interrupt in which one action is reviewed.

    Args:
        name: of the action.
        args: its arguments, as they would be taken.
        said: what is asked, in Markdown.
        allowed: what may be decided.
        form: the JSON schema of the arguments.
    """
    config = {"action_name": name, "allowed_decisions": list(allowed), "args_schema": dict(form)}
    return {
        "action_requests": [{"name": name, "args": dict(args), "description": said}],
        "review_configs": [config],
    }


def read_decision(reply: Any) -> Mapping[str, Any] | None:
    """Return the one decision in a reply; None if the reply is not one decision.

    >>> decided({"decisions": [{"type": "approve"}]})
    {'type': 'approve'}
    >>> decided({"type": "respond", "message": "Ann is Anna"})["message"]
    'Ann is Anna'
    """
    if isinstance(reply, list) and len(reply) == 1:
        reply = reply[0]
    given = reply.get("decisions") if isinstance(reply, Mapping) else None
    one = given[0] if isinstance(given, list) and len(given) == 1 else reply
    known = ("approve", "edit", "reject", "respond")
    return one if isinstance(one, Mapping) and one.get("type") in known else None


def edited_arguments(decision: Mapping[str, Any]) -> Any:
    """Return the arguments that an edit gives in place of the action's."""
    action = decision.get("edited_action")
    return action.get("args") if isinstance(action, Mapping) else None
