"""The tenant policy: the check of the server's resources that a tenant's request names.

A run configuration names endpoints, files, imports and secrets of the machine that plays the run.
Unchecked, a tenant could send the server's keys to any endpoint, or use another tenant's secrets.
So an operator's request is checked wherever it can hold a configuration: input, context,
assistants, crons, state updates, tool calls. `configuration` parses and checks each of them.
No request may write `settings` or an episode, because only the node `open` creates these. Journal
and ledger are protected elsewhere: `state.storage.owned` compares the owner of every row.

LangGraph also accepts updates as lists of pairs, and objects with a repeated key. This check
refuses objects with a repeated key, and treats any list of two items as a possible pair of key
and value.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from shapley_coop.extensions.server.serving.answering import refusal, requests_in
from shapley_coop.extensions.tenants.callers import Caller
from shapley_coop.extensions.tenants.configuration import about_game, about_url, complaints
from shapley_coop.extras import require_extra

with require_extra("dev", "tenants on a server"):
    from starlette.types import ASGIApp, Receive, Scope, Send

_NEVER_PLAYED = ("/search", "/count", "/store/items")
"""The endings of paths whose request bodies cannot start a run."""

EPISODE = "episode"
RESERVED = ("__", "langgraph_auth_")
"""The prefixes of keys that only LangGraph's server and this package may set in a run."""

CONFIGURATIONS = {"room", "context", "configurable", "arguments"}
"""The keys under which a request has a run's configuration or a tool's arguments."""

NOTHING_BELOW = {"metadata", "room", "context", "configurable"}
"""The keys below which no configuration is searched, as the value is one itself or only labels."""

DEEPEST = 100


class TenantPolicy:
    """Middleware that answers 422 if an operator's request names a forbidden resource.

    Forbidden are resources of the server and of other tenants. This middleware runs after
    `Authorization` and `BodyLimit`, which put the caller and the body into the scope.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection; refuse it if it names a forbidden resource."""
        caller: Caller | None = scope.get("caller")
        complaint = ""
        checked = scope.get("body") and not scope["path"].endswith(_NEVER_PLAYED)
        if checked and caller and caller.role == "operator":
            complaint = await asyncio.to_thread(complaint_about, scope["body"], caller)
        if complaint:
            await refusal(422, complaint)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def complaint_about(body: bytes, caller: Caller) -> str:
    """Return the reason why a body is refused, or "" if the body is allowed."""
    try:
        found = json.loads(body.decode(), object_pairs_hook=_each_once)
        forms = chain.from_iterable(map(_form_of, requests_in(found)))
        return next(chain(_reserved(found), forms, _configured(found, caller)), "")
    except _Twice as key:
        return f"{key}: this key comes twice in one object"
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return f"Send JSON in UTF-8 and in the API's form, at most {DEEPEST} levels deep"


class _Twice(ValueError):
    """The error if an object repeats a key, because two parsers could read different values."""


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(key[:100])
        found[key] = value
    return found


def _reserved(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield a complaint for each key, at any depth, that only the server may set."""
    if depth > DEEPEST:
        raise RecursionError
    if isinstance(value, list):
        pair = len(value) == 2 and isinstance(value[0], str)
        yield from _about_key(value[0]) if pair else ()
        for one in value:
            yield from _reserved(one, depth + 1)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _about_key(key)
            yield from _reserved(one, depth + 1)


def _about_key(key: str) -> Iterator[str]:
    if key == EPISODE or key.startswith(RESERVED):
        yield f"{key[:100]}: only the server sets it"


def _configured(value: Any, caller: Caller) -> Iterator[str]:
    """Yield the complaints about all run configurations in a request's body."""
    if isinstance(value, list):
        for one in value:
            yield from _configured(one, caller)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key in CONFIGURATIONS and isinstance(one, dict):
                yield from complaints(key, one, caller)
            if key == "settings":
                yield "settings: only a run writes them: give what to play as the input's room"
            if key == "game":  # a chat's state names its game outside any configuration
                yield from about_game(one)
            if key not in NOTHING_BELOW:
                yield from _configured(one, caller)


def _form_of(request: Mapping[str, Any]) -> Iterator[str]:
    """Yield the complaints about a request's form, its webhook and its stream mode."""
    command = request.get("command")
    if isinstance(command, Mapping):
        yield from _not_one_object("update", command.get("update"))
        goto = command.get("goto")
        for one in goto if isinstance(goto, list) else [goto]:
            if isinstance(one, Mapping):
                yield from _not_one_object("goto's input", one.get("input"))
            elif not isinstance(one, str | None):
                yield "goto: name a node, or give its name and its input"
    for what in ("input", "values", "context", "config"):
        yield from _not_one_object(what, request.get(what))
    yield from about_url("webhook", request.get("webhook"))
    modes = request.get("stream_mode")
    if "events" in (modes if isinstance(modes, list) else [modes]):
        yield "stream_mode: events would hold letters, and secrets in them: take another mode"


def _not_one_object(what: str, given: Any) -> Iterator[str]:
    if not isinstance(given, Mapping | None):
        yield f"{what}: give one object, with a key for each value"
