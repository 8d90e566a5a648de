"""What a tenant's request may make the server reach for.

A room names endpoints, files, imports and secrets of the machine it is played on. Alone on one's
machine that is a convenience. On a server with tenants it would hand the server's keys to any
endpoint, and one tenant's secrets to another, so every request of an operator is looked through,
wherever a room can hide in it: input, context, assistants, crons, state updates, tool calls. The
journal and the ledger go by the episode, which `open` mints, so that nobody may write one either.
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
from shapley_coop.serve.server.authorization import answer
from shapley_coop.serve.server.callers import Caller

ENDPOINTS = "COOP_ALLOWED_URLS"
"""Comma-separated: the URLs that tenants may have the server call, with whatever lies below."""

_MEND = "name what is built in, or send its content"

_LOOKING = ("/search", "/count", "/store/items")
"""Nothing is played from what somebody looks for, or lays down."""

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
"""Which texts, under these keys of a room or a game's parameters, would be opened as a file."""


class Reach:
    """Refuses an operator's request that reaches for what is not its own, with 422.

    It stands behind `Gate` and `Intake`, which say who asks and for what.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        caller: Caller | None = scope.get("caller")
        complaint = ""
        played = scope.get("body") and not scope["path"].endswith(_LOOKING)
        if played and caller and caller.role == "operator":
            complaint = await asyncio.to_thread(complaint_about, scope["body"], caller.identity)
        if complaint:
            await answer(send, 422, complaint)
        else:
            await self._app(scope, receive, send)


def complaint_about(body: bytes, identity: str) -> str:
    """Why a body is refused; empty if it is not."""
    try:
        found = json.loads(body)
        return next(_complaints(found, identity), "")
    except (ValueError, RecursionError):
        return "Send JSON, and not too deep"


def _complaints(value: Any, identity: str, depth: int = 0) -> Iterator[str]:
    if depth > DEEPEST:
        raise RecursionError
    if isinstance(value, list):
        for one in value:
            yield from _complaints(one, identity, depth + 1)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _about(key, one, identity)
            # Metadata describes a thread or a run to people; nothing is played from it. But by
            # its episode a person's thread is found, and nobody may stand in the way there.
            if key != "metadata":
                yield from _complaints(one, identity, depth + 1)
            elif isinstance(one, dict) and EPISODE in one:
                yield from _about(EPISODE, one[EPISODE], identity)


def _about(key: str, value: Any, identity: str) -> Iterator[str]:
    if key in URLS and isinstance(value, str) and not _may_be_called(value):
        yield f"{key}: this server does not call {value[:200]!r}; {ENDPOINTS} lists what it does"
    if key == "secrets" and isinstance(value, str) and not _is_own(value, identity):
        yield f"secrets: yours are named {identity}__NAME"
    if key == EPISODE:
        yield "episode: the server mints it, and nobody writes it"
    if key in IMPORTS or (isinstance(value, str) and key in FILES and FILES[key](value)):
        yield f"{key}: this server opens no files and imports nothing for tenants: {_MEND}"
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
    # Clients differ on what a backslash means in a URL.
    same_host = (given.scheme, given.netloc) == (known.scheme, known.netloc) and "\\" not in url
    return same_host and f"{given.path}/".startswith(f"{known.path.rstrip('/')}/")


def _is_own(secrets: str, identity: str) -> bool:
    # No identity holds a double underscore, so that nobody's prefix begins another's.
    return not secrets or secrets.startswith(f"{identity}__")


def _models(key: str, value: Any) -> list[str]:
    """The models that a value names: a seat may be a plain string."""
    if key == "model" and isinstance(value, str):
        return [value]
    if key == "seats" and isinstance(value, Mapping):
        return [seat for seat in value.values() if isinstance(seat, str)]
    return []
