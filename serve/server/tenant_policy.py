"""Tenant policy: which of the server's resources a tenant's request may name.

A run configuration names endpoints, files, imports and secrets of the machine that plays it. With
tenants this would send the server's keys to any endpoint, and one tenant's secrets to another. So
every operator's request is checked wherever it can hold a configuration: input, context,
assistants, crons, state updates, tool calls. Journal and ledger are keyed by the episode, which
`open` creates, so no request may name one either.
"""

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from shapley_coop import games
from shapley_coop.games.exchange import paper
from shapley_coop.games.exchange.source import GENERATED
from shapley_coop.serve.server.authorization import refusal
from shapley_coop.serve.server.callers import Caller

ENDPOINTS = "COOP_ALLOWED_URLS"
"""Comma-separated: the URLs, with all paths below, that tenants may have the server call."""

_INSTEAD = "use a built-in one, or send its content"

_NEVER_PLAYED = ("/search", "/count", "/store/items")
"""Requests whose body starts no run."""

URLS = {"base_url", "url", "endpoint", "webhook"}
IMPORTS = {"factory", "file", "folder", "path", "repo"}
EPISODE = "episode"
DEEPEST = 100

FILES: dict[str, Callable[[str], bool]] = {
    "game": lambda given: given not in games.names(),
    "scenario": lambda given: given not in (GENERATED, *paper.names()),
    "task": lambda given: given.endswith((".yaml", ".yml")),
    "records": bool,
    "tools": bool,
}
"""Key of a run configuration or of a game's parameters → whether its text names a file."""


class TenantPolicy:
    """Answers 422 to an operator's request that names a resource of the server or another tenant.

    It runs after `Authorization` and `BodyLimit`, which put caller and body into the scope.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        caller: Caller | None = scope.get("caller")
        complaint = ""
        checked = scope.get("body") and not scope["path"].endswith(_NEVER_PLAYED)
        if checked and caller and caller.role == "operator":
            complaint = await asyncio.to_thread(complaint_about, scope["body"], caller.identity)
        if complaint:
            await refusal(422, complaint)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def complaint_about(body: bytes, identity: str) -> str:
    """Why a body is refused; empty if it is allowed."""
    try:
        found = json.loads(body)
        return next(_complaints(found, identity), "")
    except (ValueError, RecursionError):
        return f"Send JSON, at most {DEEPEST} levels deep"


def _complaints(value: Any, identity: str, depth: int = 0) -> Iterator[str]:
    if depth > DEEPEST:
        raise RecursionError
    if isinstance(value, list):
        for one in value:
            yield from _complaints(one, identity, depth + 1)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _about(key, one, identity)
            # No run is configured by metadata. But a person's thread is found by the episode in
            # it, so that a false one could hide that thread.
            if key != "metadata":
                yield from _complaints(one, identity, depth + 1)
            elif isinstance(one, dict) and EPISODE in one:
                yield from _about(EPISODE, one[EPISODE], identity)


def _about(key: str, value: Any, identity: str) -> Iterator[str]:
    if key in URLS and isinstance(value, str) and not _may_be_called(value):
        yield f"{key}: this server does not call {value[:200]!r}; {ENDPOINTS} lists what it calls"
    if key == "secrets" and isinstance(value, str) and not _is_own(value, identity):
        yield f"secrets: yours are named {identity}__NAME"
    if key == EPISODE:
        yield "episode: only the server sets it"
    if key in IMPORTS or (isinstance(value, str) and key in FILES and FILES[key](value)):
        yield f"{key}: this server opens no files and imports nothing for tenants: {_INSTEAD}"
    if key == "unsafe_no_sandbox" and value:
        yield f"{key}: this server runs nothing outside its sandbox"
    for model in _models(key, value):
        if model.startswith("recording:"):
            yield "model: this server reads no recordings for tenants"


def _may_be_called(url: str) -> bool:
    listed = [one.strip() for one in os.environ.get(ENDPOINTS, "").split(",") if one.strip()]
    return not url or any(_lies_below(url, one) for one in listed)


def _lies_below(url: str, listed: str) -> bool:
    given, known = urlsplit(url), urlsplit(listed)
    # Clients differ in how they read a backslash in a URL.
    same_host = (given.scheme, given.netloc) == (known.scheme, known.netloc) and "\\" not in url
    return same_host and f"{given.path}/".startswith(f"{known.path.rstrip('/')}/")


def _is_own(secrets: str, identity: str) -> bool:
    # No identity contains a double underscore, so no prefix is the beginning of another.
    return not secrets or secrets.startswith(f"{identity}__")


def _models(key: str, value: Any) -> list[str]:
    """The models that a value names; a seat may be a plain string."""
    if key == "model" and isinstance(value, str):
        return [value]
    if key == "seats" and isinstance(value, Mapping):
        return [seat for seat in value.values() if isinstance(seat, str)]
    return []
