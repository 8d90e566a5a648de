"""Replies for `StubOpenAI`: an endpoint behind which an embedded agent sits."""

import json
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from shapley_coop.amounts import parse_exact
from shapley_coop.deals import Message, scan
from shapley_coop.seats.embedded import EmbeddedChatModel
from tests.stub_faults import Completion

_KINDS: dict[str, type[BaseMessage]] = {"system": SystemMessage, "assistant": AIMessage}


def reply(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """Answer as the agent that the model's name begins with: `Alice`, or `Alice-17`."""
    letter: list[BaseMessage] = [
        _KINDS.get(message["role"], HumanMessage)(message["content"] or "") for message in messages
    ]
    agent = request["model"].partition("-")[0]
    return str(EmbeddedChatModel(character="rational", agent=agent).invoke(letter).text)


def by_schema(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """The same answer as JSON of the schema that the request asks for."""
    form = request["response_format"]["json_schema"]
    return json.dumps(fields_of(reply(messages, request), form["schema"]))


def by_tool(messages: list[dict[str, Any]], request: dict[str, Any]) -> Completion:
    """The same answer as a call of the tool that is offered last: the answer's own."""
    tool = request["tools"][-1]["function"]
    fields = fields_of(reply(messages, request), tool["parameters"])
    return Completion("", tool_calls=((tool["name"], json.dumps(fields)),))


def fields_of(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A message in tags as the fields of a schema; what it does not say is null."""
    said = scan(text)
    assert isinstance(said, Message), said
    proposal = said.proposal or {}
    known: dict[str, Any] = {
        "thoughts": said.consider or "",
        "speech": said.speech,
        "clauses": [_clause(clause) for clause in proposal["clauses"]] if proposal else None,
        "drops": proposal.get("drops"),
        "decision": _decision(said),
        "action": said.action,
        "percent": float(parse_exact(said.claim or "0") * 100),
    }
    return {name: known.get(name) for name in schema["properties"]}


def _decision(said: Message) -> str:
    if said.accept is not None:
        return "accept"
    return "counter" if said.proposal else "reject"


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
