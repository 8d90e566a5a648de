"""What a service enforces of the form of a completion: its request's schema, tools and choice."""

import json
from dataclasses import replace
from typing import Any

from jsonschema import Draft202012Validator

from tests.stub_faults import Completion


class NotAsked(AssertionError):
    """What a model said is not what its request asked for: no service would have sent it."""


def as_asked(said: Completion | str, request: dict[str, Any]) -> Completion:
    """Hold a completion to its request, as a service does that enforces schema and choice.

    Raises:
        NotAsked: it calls a tool that was not offered or with arguments that do not fit, calls none
            where one is required, or is not of the schema that was asked for.
    """
    said = Completion(said) if isinstance(said, str) else said
    offered = {tool["function"]["name"]: tool["function"] for tool in request.get("tools", ())}
    for name, arguments in said.tool_calls:
        if name not in offered:
            raise NotAsked(f"{name} was not offered: there are {sorted(offered)}")
        _fits(arguments, offered[name]["parameters"])
    if request.get("tool_choice") == "required" and not said.tool_calls:
        raise NotAsked("a call of a tool is required")
    form = request.get("response_format") or {}
    if form.get("type") == "json_schema" and not said.tool_calls:
        _fits(said.text, form["json_schema"]["schema"])
    return replace(said, finish_reason="tool_calls") if said.tool_calls else said


def _fits(text: str, schema: dict[str, Any]) -> None:
    found = next(Draft202012Validator(schema).iter_errors(json.loads(text)), None)
    if found is not None:
        raise NotAsked(f"{text} is not of the schema: {found.message}")
