"""Requests to a person at a seat, and the parser of the person's reply.

A request has two formats at once: that of LangChain's agents (`seats.review`) and that of its older
inbox. A reply may have either format. The request holds a pointer and the seat's address but never
the letter, which waits in the journal. An interrupt is part of the thread, and several parties can
read the thread.
"""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

from shapley_coop.many import OWN
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.records import PASS
from shapley_coop.seats.review import Decision, edited_arguments, read_decision, review


class Reply(BaseModel):
    """A person's reply in fields, for those who do not want to write tags."""

    model_config = ConfigDict(extra="forbid")

    speech: str = Field(default="", description="What everybody hears; it binds nobody.")
    accept: bool = Field(default=False, description="Accept the offer that stands.")
    reject: bool = Field(default=False, description="Reject it, or propose nothing.")
    proposal: dict[str, Any] | None = Field(default=None, description='{"clauses": […]}')
    action: str = Field(default="", description="What to do this turn.")
    claim: float | str = Field(
        default="", description="The part of the total that was your doing, in percent."
    )
    consider: str = Field(default="", description="Private reasoning; never delivered.")

    def message(self) -> str:
        """Return the reply as tagged text."""
        parts = {
            "s": self.speech,
            "CONSIDER": self.consider,
            "PROPOSAL": json.dumps(self.proposal) if self.proposal is not None else "",
            "ACTION": self.action,
            "CLAIM": self.claim if isinstance(self.claim, str) else f"{self.claim:g}%",
        }
        tagged = "".join(f"<{tag}>{text}</{tag}>" for tag, text in parts.items() if text)
        return tagged + "<ACCEPT>" * self.accept + "<REJECT>" * self.reject


def fields_of(act: str) -> tuple[str, ...]:
    """Return the names of the form's fields for a question; all fields for an unknown question."""
    question = find_question(act)
    return question.answer.form() if question else tuple(Reply.model_fields)


def form(act: str, legal: Sequence[str] = ()) -> dict[str, Any]:
    """Return the JSON schema of a reply in fields.

    Args:
        act: the name of the question.
        legal: the actions to choose from; give them only in a form for the seat itself.
    """
    schema = Reply.model_json_schema()
    fields: dict[str, Any] = schema["properties"]
    kept = {name: fields[name] for name in fields_of(act)}
    if "proposal" in kept and (question := find_question(act)):
        kept["proposal"] = {**kept["proposal"], "description": question.answer.PROPOSAL}
    if legal and "action" in kept:
        kept["action"] = {**kept["action"], "enum": list(legal)}
    return {**schema, "properties": kept}


SERVER_URL = "COOP_SERVER_URL"
"""The environment variable with the address at which people reach this server."""


def seat_address(episode: str, agent: str) -> str:
    """Return the URL of an agent's seat, or only its path if the server's address is unknown.

    >>> seat_address("5c1f0e", "Alice")
    '/seat/5c1f0e/Alice'
    """
    server = os.environ.get(SERVER_URL, "").rstrip("/")
    return f"{server}/seat/{episode}/{quote(agent, safe='') if server else agent}"


def open_choices(facts: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return field → the values to choose from, if every party may know these values.

    Several parties can read an interrupt, so a game in which an agent's position is private has no
    open choices.
    """
    from shapley_coop.seats.schema import schema_of  # late: few runs ask people

    schema = schema_of(facts)
    if schema is None or OWN in facts.get("position", {}):
        return {}
    fields = schema["properties"].items()
    return {name: one.get("enum") or [one["const"]] for name, one in fields if one.keys() & _LISTED}


_LISTED = {"enum", "const"}
_ALLOWED = {"allow_edit": True, "allow_respond": True, "allow_ignore": True}


def request(
    pointer: dict[str, Any],
    agent: str,
    act: str,
    why: str,
    until: float | None = None,
    choices: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Return the value of the interrupt that asks a person.

    Args:
        pointer: the episode, agent and attempt that identify the letter.
        agent: the agent whose person is asked.
        act: the name of the question.
        why: the label of the last reply's fault; the letter at the seat says more.
        until: the deadline in seconds since the epoch; None for no deadline.
        choices: the choices that all parties may know (`open_choices`).
    """
    choices, question = choices or {}, find_question(act)
    reply, fields = form(act, choices.get("action", ())), fields_of(act) if question else ()
    seat = seat_address(str(pointer.get("episode", "")), agent)
    among = "".join(f" ({', '.join(values)})" for values in choices.values())
    said = f"{agent}, {question.title if question else act}{among}."
    said = refused_before(f"{said} The letter waits at {agent}'s own seat.", why)
    said += _time_left(until)
    args = {name: one.get("default") for name, one in reply["properties"].items()}
    return {
        **review(act, args, f"{said} {seat}", _decisions(fields), reply),
        "action_request": {"action": act, "args": args},
        "config": {"allow_accept": act.startswith("answer"), **_ALLOWED},
        "description": said,
        "pointer": pointer,
        "seat": seat,
        "choices": {name: list(values) for name, values in choices.items()},
        "deadline": until,
    }


def _decisions(fields: Sequence[str]) -> list[Decision]:
    """Return the decisions that a person can take on a question whose form has these fields."""
    named: dict[Decision, bool] = {"approve": "accept" in fields, "edit": True, "respond": True}
    return [one for one, allowed in {**named, "reject": "reject" in fields}.items() if allowed]


def refused_before(description: str, why: str) -> str:
    """Append the label of the last reply's fault to a description, if the reply was refused."""
    told = f" The last reply did not count ({why})." if why else ""
    return description if not why or told in description else description + told


def _time_left(until: float | None) -> str:
    if until is None:
        return ""
    moment = datetime.fromtimestamp(until, UTC)
    return f" Without a reply by {moment:%Y-%m-%d %H:%M:%S} UTC it counts as a pass."


def as_message(reply: Any) -> str:
    """Return a reply as tagged text; it may be text, a decision, an inbox response or fields.

    An unreadable reply becomes plain words, which validation refuses with the reason.
    """
    if isinstance(reply, list) and len(reply) == 1:
        reply = reply[0]
    if isinstance(reply, str):
        return reply or "(empty)"
    if not isinstance(reply, dict):
        return "(unreadable)"
    if (decision := read_decision(reply)) and (decision is not reply or "args" not in reply):
        return _of_decision(decision)
    match reply.get("type"):
        case "accept":
            return Reply(accept=True).message()
        case "ignore":
            return PASS
        case "response":
            return as_message(str(reply.get("args") or ""))
        case "edit":
            args = reply.get("args")
            return as_message(args.get("args") if isinstance(args, dict) else None)
    try:
        return Reply.model_validate(reply).message() or "(empty)"
    except ValueError:  # wrong fields, or an integer with too many digits to convert
        return "(unreadable)"


def _of_decision(decision: Mapping[str, Any]) -> str:
    """Return a decision in the format of LangChain's agents as tagged text."""
    words = str(decision.get("message") or "")
    match decision["type"]:
        case "approve":
            return Reply(accept=True).message()
        case "reject":
            return Reply(speech=words, reject=True).message()
        case "respond":
            return as_message(words)
    return as_message(edited_arguments(decision))
