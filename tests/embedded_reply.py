"""Replies for `StubOpenAI`: an endpoint behind which an embedded agent sits."""

import json
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from shapley_coop.amounts import parse_exact
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.seats.embedded import EmbeddedChatModel
from shapley_coop.state.run_config import OUTSIDERS
from tests.stub_faults import Completion

_KINDS: dict[str, type[BaseMessage]] = {"system": SystemMessage, "assistant": AIMessage}


def reply(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """Answer as the agent that the model's name begins with: `Alice`, or `Alice-17`."""
    letter: list[BaseMessage] = [
        _KINDS.get(message["role"], HumanMessage)(message["content"] or "") for message in messages
    ]
    agent = request["model"].partition("-")[0]
    character = "impartial" if agent in OUTSIDERS else "rational"
    return str(EmbeddedChatModel(character=character, agent=agent).invoke(letter).text)


def by_schema(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """The same answer as JSON of the schema that the request asks for."""
    return str(in_form(reply(messages, request), request))


def by_tool(messages: list[dict[str, Any]], request: dict[str, Any]) -> Completion:
    """The same answer as a call of the tool that is offered last: the answer's own."""
    said = in_form(reply(messages, request), request)
    assert isinstance(said, Completion)
    return said


def in_form(text: str, request: dict[str, Any]) -> str | Completion:
    """An answer in tags in the form that a request asks for: by call, by schema, or as it is."""
    if tools := request.get("tools"):
        tool = tools[-1]["function"]
        fields = fields_of(text, tool["parameters"])
        return Completion("", tool_calls=((tool["name"], json.dumps(fields)),))
    if form := request.get("response_format"):
        return json.dumps(fields_of(text, form["json_schema"]["schema"]))
    return text


def fields_of(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A message in tags as the fields of a schema; what it does not say is null."""
    said = scan(text)
    assert isinstance(said, Message), said
    proposal, trade = said.proposal or {}, "allocation" in schema["properties"]
    known: dict[str, Any] = {
        "thoughts": said.consider or "",
        "speech": said.speech,
        "clauses": _clauses(proposal, '"when"' in json.dumps(schema)),
        "allocation": [{"agent": a, "tasks": tasks} for a, tasks in proposal.items()] or None,
        "prose": said.speech,
        "impossible": said.reject or None,
        "drops": proposal.get("drops"),
        "decision": _traded(said) if trade else _decision(said),
        "action": said.action,
        "verdicts": _verdicts(said.speech or ""),
        "percent": float(parse_exact(said.claim or "0") * 100),
    }
    return {name: known.get(name) for name in schema["properties"]}


def _verdicts(speech: str) -> list[dict[str, str]]:
    found = (line.partition(": ") for line in speech.splitlines())
    return [{"clause": clause, "verdict": verdict} for clause, _, verdict in found]


def _decision(said: Message) -> str:
    if said.accept is not None:
        return "accept"
    return "counter" if said.proposal else "reject"


def _traded(said: Message) -> str:
    if said.accept is not None:
        return "accept"
    return "propose" if said.reject is None else "reject"


def _clauses(proposal: dict[str, Any], conditional: bool) -> list[dict[str, Any]] | None:
    """The clauses, with null as condition where none is said and one could be."""
    clauses = proposal.get("clauses")
    if not isinstance(clauses, list):
        return None
    found = [_clause(clause) for clause in clauses]
    return found if conditional else [{k: x for k, x in c.items() if k != "when"} for c in found]


def _clause(clause: dict[str, Any]) -> dict[str, Any]:
    kind = clause["kind"]
    if kind == "share":
        fractions = clause.get("fractions") or {}
        parts = [{"agent": agent, "fraction": str(x)} for agent, x in fractions.items()]
        return {"kind": kind, "fractions": parts or None, "norm": clause.get("norm")}
    told = {key: value for key, value in clause.items() if key != "basis"}
    if kind == "pay":
        told["per"] = clause.get("basis", "once")
    when = clause.get("when", "always")
    return {**told, "when": None if when == "always" else when}
