"""The check that the configuration of a tenant's run names only permitted server resources.

The check and the run parse the configuration alike, so no field can hide under another name.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from pydantic import ValidationError

from shapley_coop.extensions.tenants.callers import Caller
from shapley_coop.extensions.tenants.quotas import unpriced, without_a_price
from shapley_coop.games.opened import opens
from shapley_coop.invalid import first_error
from shapley_coop.seats.keys import lies_below
from shapley_coop.seats.provider import provider_of
from shapley_coop.seats.seat import PYTHON, RECORDING, Seat
from shapley_coop.state.additions import find_additions
from shapley_coop.state.home_files.kept import KEPT
from shapley_coop.state.run_config import RunConfig, known_fields

ENDPOINTS = "COOP_ALLOWED_URLS"
"""The variable with comma-separated URLs that the server calls for tenants, with all subpaths."""

MODELS = "COOP_ALLOWED_MODELS"
"""The variable with comma-separated globs of models, for tenants whose token lists no models."""

BESIDE = {
    *("top_k", "top_a", "min_p", "typical_p", "repetition_penalty", "frequency_penalty"),
    *("presence_penalty", "logit_bias", "chat_template_kwargs", "reasoning", "thinking"),
    *("enable_thinking", "verbosity"),
}
"""The keys that a tenant's `extra_body` may set: those for sampling and thinking. No key may name
another model, request more than one answer, or lift the limit on an answer's length."""


def complaints(what: str, given: Mapping[str, Any], caller: Caller) -> Iterator[str]:
    """Yield the reasons why a tenant may not play a configuration.

    Args:
        what: the key under which the request has the configuration: `room` for that of a run. Under
            an extension's key, only the model, the model's URL and the keys of a run's
            configuration are checked.
        given: the configuration.
        caller: the tenant.
    """
    set_ = {key: one for key, one in given.items() if one is not None}
    of_a_run = given if what == "room" else _known(set_, known_fields())
    of_a_seat = {} if what == "room" else _known(set_, ("model", "base_url"))
    try:
        config = RunConfig.model_validate(of_a_run)
        seats = [Seat.model_validate(of_a_seat)] if of_a_seat else []
    except ValidationError as error:
        yield f"{what}: {first_error(error, RunConfig)}"
        return
    yield from about_game(config.game)
    for key, value in config.params.items():
        yield from _about_param(key, value)
    if config.secrets and not config.secrets.startswith(f"{caller.identity}__"):
        # No identity contains a double underscore, so no identity's prefix begins another's.
        yield f"secrets: yours are named {caller.identity}__NAME"
    if config.prompts:
        yield _opened("prompts")
    for one in find_additions(config):
        yield from one.addition.complaints(one.settings)
    yield from _about_resolved(config)
    for seat in [*(config.seats.values() if "seats" in config.model_fields_set else ()), *seats]:
        yield from _about_seat(seat, caller)


def _known(given: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: given[key] for key in keys if key in given}


def about_game(game: Any) -> Iterator[str]:
    """Yield the reasons why a tenant may not play a game."""
    if isinstance(game, Mapping):
        for key, value in game.items():
            yield from _about_param(key, value)
    elif opens("game", game):
        yield _opened("game")


def about_url(what: str, url: Any) -> Iterator[str]:
    """Yield the reason why the server does not call a URL for a tenant, if there is one."""
    if isinstance(url, str) and not _may_be_called(url):
        yield f"{what}: this server does not call {url[:200]!r}; {ENDPOINTS} lists what it calls"


def _about_param(key: str, value: Any) -> Iterator[str]:
    if opens(key, value):
        yield _opened(key)
    if key == "unsafe_no_sandbox" and value:
        yield f"{key}: this server runs nothing outside its sandbox"


def _opened(key: str) -> str:
    return (
        f"{key}: this server opens no files and imports nothing for tenants: "
        "use a built-in one, or send its content"
    )


def _about_resolved(config: RunConfig) -> Iterator[str]:
    """Yield a complaint for each setting that only the run itself may write."""
    if config.digests:
        yield "digests: the run fills them in"
    if any(text.startswith(KEPT) for text in config.personas.values()):
        yield "personas: give the text of each; what is kept here is named by its own run alone"
    if any(seat.of_simulation for seat in config.seats.values()):
        yield "of_simulation: the run reads it from the recording"


def _about_seat(seat: Seat, caller: Caller) -> Iterator[str]:
    yield from about_url("base_url", seat.base_url)
    try:
        provider = provider_of(seat)
    except ValueError as error:
        yield f"model: {error}"
        return
    if kept := sorted({*seat.options} - provider.for_tenants):
        yield f"options: this server sets no {kept[0][:100]} for tenants"
    if more := sorted({*seat.extra_body} - BESIDE):
        known = ", ".join(sorted(BESIDE))
        yield f"extra_body: here it cannot set {more[0][:100]}; it can set {known}"
    if seat.provider in (RECORDING, PYTHON):
        yield "model: this server reads no recordings and runs no callables for tenants"
    elif provider.address:
        if not _may_be_called(provider.address(seat)):
            yield f"model: this server does not call {seat.model[:200]!r}; {ENDPOINTS} lists URLs"
    elif not any(fnmatchcase(seat.model, glob) for glob in _models_of(caller)):
        yield f"model: you may not use {seat.model[:100]!r} here"
    elif unpriced(seat.model, caller):
        yield f"model: {without_a_price(seat.model)}"


def _may_be_called(url: str) -> bool:
    listed = [one.strip() for one in os.environ.get(ENDPOINTS, "").split(",") if one.strip()]
    return not url or any(lies_below(url, one) for one in listed)


def _models_of(caller: Caller) -> Sequence[str]:
    """Return globs of the models that a caller's runs may name."""
    if caller.models is not None:
        return caller.models
    return [one.strip() for one in os.environ.get(MODELS, "*").split(",")]
