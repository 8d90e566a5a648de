"""Middleware that refuses unknown keys, and wrong values, in a run's or assistant's settings.

LangGraph's server drops unknown keys of a context or an input before the workflow sees them. A
misspelt `sed` would play seed 0. A misspelt `room` would play the default game, and its model calls
cost money. A wrong value would fail the run with an error of several lines.
"""

import asyncio
import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any
from uuid import UUID

import httpx
from pydantic import BaseModel, ValidationError

from shapley_coop import extension
from shapley_coop.extensions.server.serving.answering import refusal, requests_in
from shapley_coop.extensions.server.serving.in_process import inside
from shapley_coop.extras import require_extra
from shapley_coop.files import no_such
from shapley_coop.graphs import builder, names
from shapley_coop.invalid import first_error
from shapley_coop.state.run_config import known_fields
from shapley_coop.state.table import Opening

with require_extra("dev", "the LangGraph server"):
    from starlette.types import ASGIApp, Receive, Scope, Send


class KnownKeys:
    """Middleware that answers 422 if a context or an input has a key or value that is wrong.

    This middleware runs after `BodyLimit`, which puts the body into the scope.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        body = scope.get("body")
        if body and (complaint := await _complaint(body, scope["path"])):
            await refusal(422, complaint)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


async def _complaint(body: bytes, path: str) -> str:
    """Return the first fault in the contexts and inputs of a request, or "".

    A malformed body gives "", because LangGraph's server refuses it. The input of an
    extension's graph is not checked, because chat clients add their own keys to the messages.
    """
    try:
        # The JSON is parsed and not searched as text, because escapes can hide a key.
        found = [*requests_in(await asyncio.to_thread(json.loads, body))]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return ""
    for one in found:
        given = {what: one[what] for what in ("context", "input") if one.get(what)}
        if given and (graph := await _graph_of(one, path)):
            for what, values in given.items():
                if what == "input" and graph not in names():
                    continue
                known = await asyncio.to_thread(_known_keys, graph, what)
                kept = await asyncio.to_thread(_kept_keys, graph, what)
                if said := next(_strangers(what, values, known, kept), ""):
                    return said
                if said := await asyncio.to_thread(_wrong_value, graph, what, values):
                    return said
    return ""


def _known_keys(graph: str, what: str) -> Collection[str]:
    """Return the keys allowed in a graph's context or in a workflow's input."""
    if graph not in names():
        shape = extension.load("graphs", graph).get_context_jsonschema() or {}
        return [*shape.get("properties", ())]
    return known_fields() if what == "context" else Opening.model_fields


def _kept_keys(graph: str, what: str) -> Collection[str]:
    """Return the keys of a workflow's state, which are also allowed in the workflow's input.

    A foreign graph with our workflow as a node sends the workflow's state back as input.
    """
    return builder(graph).state_schema.__annotations__ if what == "input" else ()


def _strangers(
    what: str, given: Any, known: Collection[str], kept: Collection[str]
) -> Iterator[str]:
    if not isinstance(given, Mapping):
        yield f"{what}: give one object, with a key for each value"
        return
    for key in given:
        if key in known or key in kept:
            continue
        if what == "input" and "room" in known and key in known_fields():
            yield f"input: no key {key!r}: it belongs under room"
        yield f"{what}: {no_such('key', str(key), known)}"


def _wrong_value(graph: str, what: str, given: Mapping[str, Any]) -> str:
    """Return the first fault in the values of a context or of a workflow's input, or ""."""
    if graph not in names():
        shape = extension.load("graphs", graph).builder.context_schema
    else:
        shape = builder(graph).context_schema if what == "context" else builder(graph).input_schema
        if what == "input":  # the other keys are those of the workflow's state
            given = {key: given[key] for key in Opening.model_fields if key in given}
    if not (isinstance(shape, type) and issubclass(shape, BaseModel)):
        return ""
    try:
        shape.model_validate(given)
    except ValidationError as error:
        return f"{what}: {first_error(error, shape)}"
    return ""


async def _graph_of(request: Mapping[str, Any], path: str) -> str:
    """Return the name of our graph that a request addresses, or "" for all other graphs.

    An unknown assistant also gives "", because LangGraph's server reports this error.
    """
    ours = (*names(), *extension.offered("graphs"))
    named = request.get("graph_id") or request.get("assistant_id") or await _named_in(path)
    if not named or str(named) in ours:
        return str(named or "")
    try:
        found = await inside().assistants.get(str(UUID(str(named))))
    except (ValueError, httpx.HTTPError):
        return ""
    return str(found["graph_id"]) if found["graph_id"] in ours else ""


async def _named_in(path: str) -> str:
    """Return the assistant that a path names, directly or by a cron's id, or "" if none."""
    segment, *rest = path.removeprefix("/").split("/")
    if segment in ("assistants", "a2a") and rest:
        return rest[0]
    if [segment, *rest[:1]] == ["runs", "crons"] and len(rest) == 2:
        try:
            cron: Any = await inside().http.get(path)
        except httpx.HTTPError:
            return ""
        return str(cron["assistant_id"])
    return ""
