"""Requests to a person at a seat, and the parser of the person's reply.

A request has two formats at once: that of LangChain's agents (`seats.review`) and that of its older
inbox. A reply may have either format. The request holds a pointer and the seat's address but never
the letter, because several parties can read the thread and its interrupts. The letter waits in the
journal.
"""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from shapley_coop.deals.language.labels import meaning_of
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.elements import Choice, element
from shapley_coop.seats.records import PASS
from shapley_coop.seats.review import Decision, read_decision, review

ACCEPT, REJECT = "<ACCEPT>", "<REJECT>"


def fields_of(act: str) -> tuple[str, ...]:
    """Return the names of the fields of a question's answer; () for an unknown question."""
    question = find_question(act)
    return (*question.answer.model_fields, "notes") if question else ()


def form(act: str, choices: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the JSON schema of a reply that fills in the answer's fields; each may be left out.

    Args:
        act: the name of the question.
        choices: field → the values to choose from; give only what all readers may know.
    """
    question = find_question(act)
    schema = question.answer.model_json_schema() if question else {"properties": {}}
    told = {name: _flat(one) for name, one in schema["properties"].items()}
    listed = {name: {"enum": list(choices[name])} for name in told.keys() & choices.keys()}
    fields = {name: told.get(name, {}) | listed.get(name, {}) for name in fields_of(act)}
    return {"type": "object", "title": act, "properties": fields, "additionalProperties": False}


def _flat(field: Mapping[str, Any]) -> dict[str, Any]:
    """Return a field's schema; if it refers to a definition elsewhere, only its description."""
    known = {key: field[key] for key in ("description",) if key in field}
    return known if "$ref" in str(field) else dict(field)


SERVER_URL = "COOP_SERVER_URL"
"""The environment variable with the address at which people reach this server."""


def seat_address(episode: str, agent: str) -> str:
    """Return the URL of an agent's seat, or only its path if the server's address is unknown.

    >>> seat_address("5c1f0e", "Alice B.")
    '/seat/5c1f0e/Alice%20B.'
    """
    server = os.environ.get(SERVER_URL, "").rstrip("/")
    return f"{server}/seat/{episode}/{quote(agent, safe='')}"


def open_choices(facts: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return field → the values to choose from. Give only facts that every party may know.

    Args:
        facts: the letter's facts.
    """
    from shapley_coop.seats.schema import schema_of  # not at the top: few runs ask people

    if (schema := schema_of(facts)) is None:
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
    reply, allowed = form(act, choices), _decisions(act)
    seat = seat_address(str(pointer.get("episode", "")), agent)
    among = "".join(f" ({', '.join(values)})" for values in choices.values())
    said = f"{agent}, {question.title if question else act}{among}."
    said = refused_before(f"{said} The letter waits at {agent}'s own seat.", why)
    said += _time_left(until)
    args = dict.fromkeys(reply["properties"])
    return {
        **review(act, args, f"{said} {seat}", allowed, reply),
        "action_request": {"action": act, "args": args},
        "config": {"allow_accept": "approve" in allowed, **_ALLOWED},
        "description": said,
        "pointer": pointer,
        "seat": seat,
        "choices": {name: list(values) for name, values in choices.items()},
        "deadline": until,
    }


def _decisions(act: str) -> list[Decision]:
    """Return the decisions that a person can take on a question."""
    if (question := find_question(act)) is None:
        return ["edit", "respond"]
    how = question.answer.written().get("decision")
    tags = [*how.tags.values()] if isinstance(how, Choice) else [question.answer.decided({})]
    named: dict[Decision, bool] = {"approve": ACCEPT in tags, "edit": True, "respond": True}
    return [one for one, allowed in {**named, "reject": REJECT in tags}.items() if allowed]


def refused_before(description: str, why: str) -> str:
    """Append the meaning of the last reply's label to a description, if the reply was refused."""
    told = f" The last reply did not count: {meaning_of(why)}." if why else ""
    return description if not why or told in description else description + told


def _time_left(until: float | None) -> str:
    if until is None:
        return ""
    moment = datetime.fromtimestamp(until, UTC)
    return f" Without a reply by {moment:%Y-%m-%d %H:%M:%S} UTC it counts as a pass."


def as_message(reply: Any, act: str = "") -> str:
    """Return a reply as tagged text; it may be text, a decision, an inbox response or fields.

    An unreadable reply becomes plain words, which validation refuses with the reason.

    Args:
        reply: the reply.
        act: the name of the question; "" if the reply names it.
    """
    if isinstance(reply, list) and len(reply) == 1:
        reply = reply[0]
    if isinstance(reply, str):
        return reply or "(empty)"
    if not isinstance(reply, dict):
        return "(unreadable)"
    if (decision := read_decision(reply)) and (decision is not reply or "args" not in reply):
        return _of_decision(decision, act)
    args = reply.get("args")
    match reply.get("type"):
        case "accept":
            return ACCEPT
        case "ignore":
            return PASS
        case "response":
            return as_message(str(args or ""))
        case "edit":
            return _of_edit(args if isinstance(args, dict) else {}, "action", act)
    return _of_fields(reply, act)


def _of_decision(decision: Mapping[str, Any], act: str) -> str:
    """Return a decision in the format of LangChain's agents as tagged text."""
    words = str(decision.get("message") or "")
    match decision["type"]:
        case "approve":
            return ACCEPT
        case "reject":
            return element("s", words) + REJECT
        case "respond":
            return as_message(words)
    edited = decision.get("edited_action")
    return _of_edit(edited if isinstance(edited, dict) else {}, "name", act)


def _of_edit(edited: Mapping[str, Any], name: str, act: str) -> str:
    """Return the arguments of an edited action, which are fields or a message, as tagged text."""
    args, act = edited.get("args"), act or str(edited.get(name))
    return _of_fields(args, act) if isinstance(args, dict) else as_message(args)


def _of_fields(fields: Mapping[str, Any], act: str) -> str:
    """Return an answer's fields as tagged text; if a field is unknown, "(unreadable)"."""
    question = find_question(act)
    if question is None or not fields.keys() <= {*fields_of(act), "speech"}:
        return "(unreadable)"
    return (question.answer.tagged(fields) if fields else "") or "(empty)"
