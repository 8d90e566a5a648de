"""Tenant policy: which of the server's resources a tenant's request may name.

A run configuration names endpoints, files, imports and secrets of the machine that plays it. With
tenants this would send the server's keys to any endpoint, and one tenant's secrets to another. So
every operator's request is checked wherever it can hold a configuration: input, context,
assistants, crons, state updates, tool calls. No request may name an episode either: `open` creates
it. That journal and ledger belong to others is not left to this check: `state.storage.owned`
compares the owner of every row.

LangGraph also takes updates as lists of pairs, and objects in which a key comes twice. Here an
update is one object, a key comes once, and a pair is read as the key and value that it would be.
"""

import asyncio
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from shapley_coop.games.opened import opens
from shapley_coop.seats.keys import lies_below
from shapley_coop.serve.server.authorization import refusal
from shapley_coop.serve.server.callers import Caller
from shapley_coop.serve.server.quotas import unpriced, without_a_price

ENDPOINTS = "COOP_ALLOWED_URLS"
"""Comma-separated: the URLs, with all paths below, that tenants may have the server call."""

MODELS = "COOP_ALLOWED_MODELS"
"""Comma-separated globs: the models that tenants may name, unless their token says otherwise."""

_INSTEAD = "use a built-in one, or send its content"

_NEVER_PLAYED = ("/search", "/count", "/store/items")
"""Requests whose body starts no run."""

URLS = {"base_url", "url", "endpoint", "webhook"}
EPISODE = "episode"
USER = "langgraph_auth_"
"""How the keys begin under which LangGraph's server keeps whose a run is."""

BESIDE = {
    *("top_k", "top_a", "min_p", "typical_p", "repetition_penalty", "frequency_penalty"),
    *("presence_penalty", "logit_bias", "chat_template_kwargs", "reasoning", "thinking"),
    *("enable_thinking", "verbosity"),
}
"""What a tenant's `extra_body` may set: how a model samples and thinks, and nothing that names
another model, asks for more than one answer, or lifts the limit on an answer's length."""

DEEPEST = 100


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
            complaint = await asyncio.to_thread(complaint_about, scope["body"], caller)
        if complaint:
            await refusal(422, complaint)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def complaint_about(body: bytes, caller: Caller) -> str:
    """Why a body is refused; empty if it is allowed."""
    try:
        found = json.loads(body.decode(), object_pairs_hook=_each_once)
        forms = chain.from_iterable(map(_form_of, _requests_in(found)))
        return next(chain(forms, _complaints(found, caller)), "")
    except _Twice as key:
        return f"{key}: this key comes twice in one object"
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return f"Send JSON in UTF-8 and in the API's form, at most {DEEPEST} levels deep"


class _Twice(ValueError):
    """A key that comes twice in one object, of which readers may take either."""


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(key[:100])
        found[key] = value
    return found


def _complaints(value: Any, caller: Caller, depth: int = 0) -> Iterator[str]:
    if depth > DEEPEST:
        raise RecursionError
    if isinstance(value, list):
        if len(value) == 2 and isinstance(value[0], str):
            yield from _about(value[0], value[1], caller)
        for one in value:
            yield from _complaints(one, caller, depth + 1)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _about(key, one, caller)
            # No run is configured by metadata. But a person's thread is found by the episode in
            # it, so that a false one could hide that thread.
            if key != "metadata":
                yield from _complaints(one, caller, depth + 1)
            elif isinstance(one, dict) and EPISODE in one:
                yield from _about(EPISODE, one[EPISODE], caller)


def _requests_in(body: Any) -> Iterator[Mapping[str, Any]]:
    """A body's requests: itself, those of a batch, a command's parameters, a thread's history."""
    for one in body if isinstance(body, list) else [body]:
        if not isinstance(one, Mapping):
            continue
        yield one
        if isinstance(params := one.get("params"), Mapping):
            yield params
        for step in one.get("supersteps") or ():
            yield from step["updates"]


def _form_of(request: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the form of a run's input, of its command, or of a state update."""
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


def _not_one_object(what: str, given: Any) -> Iterator[str]:
    if not isinstance(given, Mapping | None):
        yield f"{what}: give one object, with a key for each value"


def _about(key: str, value: Any, caller: Caller) -> Iterator[str]:
    if key in URLS and isinstance(value, str) and not _may_be_called(value):
        yield f"{key}: this server does not call {value[:200]!r}; {ENDPOINTS} lists what it calls"
    if key == "secrets" and isinstance(value, str) and not _is_own(value, caller.identity):
        yield f"secrets: yours are named {caller.identity}__NAME"
    yield from _about_signing(key, value)
    if key == EPISODE or key.startswith(USER):
        yield f"{key[:100]}: only the server sets it"
    if key == "extra_body" and isinstance(value, Mapping) and (more := sorted({*value} - BESIDE)):
        known = ", ".join(sorted(BESIDE))
        yield f"extra_body: here it cannot set {more[0][:100]}; it can set {known}"
    if opens(key, value):
        yield f"{key}: this server opens no files and imports nothing for tenants: {_INSTEAD}"
    if key == "unsafe_no_sandbox" and value:
        yield f"{key}: this server runs nothing outside its sandbox"
    if key == "stream_mode" and "events" in (value if isinstance(value, list) else [value]):
        yield "stream_mode: events would hold letters, and secrets in them: take another mode"
    for model in _models(key, value):
        if model.startswith(("recording:", "python:")):
            yield "model: this server reads no recordings and runs no callables for tenants"
        elif model.startswith("a2a:") and not _may_be_called(model.removeprefix("a2a:")):
            yield f"model: this server does not call {model[:200]!r}; {ENDPOINTS} lists URLs"
        elif not any(fnmatchcase(model, glob) for glob in _models_of(caller)):
            yield f"model: you may not use {model[:100]!r} here"
        elif unpriced(model, caller):
            yield f"model: {without_a_price(model)}"


def _may_be_called(url: str) -> bool:
    listed = [one.strip() for one in os.environ.get(ENDPOINTS, "").split(",") if one.strip()]
    return not url or any(lies_below(url, one) for one in listed)


def _about_signing(key: str, value: Any) -> Iterator[str]:
    """What would sign by a key of this home, or read what another's principal allows."""
    if key == "keys" and isinstance(value, Mapping) and not all(map(_is_public, value.values())):
        yield "keys: give public keys in PEM; this server's own keys sign for no tenant"
    if key == "mandates" and isinstance(value, Mapping) and "kept:" in str(value):
        yield "mandates: give each as coop mandate wrote it; what is kept here is its principal's"


def _is_public(key: Any) -> bool:
    return isinstance(key, str) and key.lstrip().startswith("-----BEGIN PUBLIC KEY-----")


def _is_own(secrets: str, identity: str) -> bool:
    # No identity contains a double underscore, so no prefix is the beginning of another.
    return not secrets or secrets.startswith(f"{identity}__")


def _models_of(caller: Caller) -> Sequence[str]:
    """Globs of the models that a caller's runs may name."""
    if caller.models is not None:
        return caller.models
    return [one.strip() for one in os.environ.get(MODELS, "*").split(",")]


def _models(key: str, value: Any) -> list[str]:
    """The models that a value names; a seat may be a plain string."""
    if key == "model" and isinstance(value, str):
        return [value]
    if key == "seats" and isinstance(value, Mapping):
        return [seat for seat in value.values() if isinstance(seat, str)]
    return []
