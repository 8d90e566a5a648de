"""Context of a run or an assistant: keys that no workflow knows are refused by name.

LangGraph's server drops them from a context before the workflow sees it, so that a misspelt `sed`
would play seed 0.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
from pydantic import BaseModel
from starlette.types import ASGIApp, Receive, Scope, Send

from shapley_coop.files import no_such
from shapley_coop.graphs import names
from shapley_coop.serve.server.authorization import refusal
from shapley_coop.serve.server.in_process import inside
from shapley_coop.state import RunConfig
from shapley_coop.state.chat import ChatConfig

_CHAT = "chat"

_STARTING = ("/runs", "/stream", "/wait", "/batch", "/crons", "/assistants")
"""How the paths end of requests that give a context."""


class ContextKeys:
    """Answers 422 to a context with a key that the workflows do not have.

    It runs after `BodyLimit`, which puts the body into the scope.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        path = scope.get("path", "")
        gives = path.endswith(_STARTING) or path.startswith("/assistants/")
        body = scope.get("body") if gives else None
        if body and b'"context"' in body and (complaint := await _complaint(body, path)):
            await refusal(422, complaint)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


async def _complaint(body: bytes, path: str) -> str:
    """What is wrong with the contexts of a request; empty if nothing is, or it is no JSON."""
    try:
        found = await asyncio.to_thread(json.loads, body)
    except (ValueError, RecursionError):
        return ""  # the server says so itself
    for one in found if isinstance(found, list) else [found]:
        context = one.get("context") if isinstance(one, Mapping) else None
        if isinstance(context, Mapping) and not context.keys() <= _KNOWN_TO_ALL:
            named = one.get("assistant_id") or one.get("graph_id") or path.split("/")[2]
            form = _form_of(await _graph_of(str(named)))
            if form and (said := next(_strangers(context, form), "")):
                return said
    return ""


_KNOWN_TO_ALL = RunConfig.model_fields.keys() & ChatConfig.model_fields.keys()


def _form_of(graph: str) -> type[BaseModel] | None:
    """What a graph of ours takes as context; None for graphs of others."""
    if graph == _CHAT:
        return ChatConfig
    return RunConfig if graph in names() else None


def _strangers(context: Mapping[str, Any], form: type[BaseModel]) -> Iterator[str]:
    known = list(form.model_fields)
    for key in context:
        if key not in known:
            yield f"context: {no_such('key', str(key), known)}"


async def _graph_of(assistant: str) -> str:
    """The graph of an assistant; empty if there is no such assistant."""
    if assistant in (*names(), _CHAT):
        return assistant
    try:
        found = await inside().assistants.get(assistant)
    except httpx.HTTPError:
        return ""  # the server says so itself
    return str(found["graph_id"])
