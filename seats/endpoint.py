"""Seats with a model that LangChain calls at its provider's endpoint, or at another base URL."""

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel

from shapley_coop import extension
from shapley_coop.extras import missing_library
from shapley_coop.seats.clients import Clients, clients_here
from shapley_coop.seats.keys import NO_KEY, key_for
from shapley_coop.seats.models import RETRIES
from shapley_coop.seats.provider import Provider
from shapley_coop.seats.seat import CredentialsMissing, Seat
from shapley_coop.seats.tracing import keep_out

_INSTALL = re.compile(r"pip install ([\w-]+)")
"""The pattern of the package name in LangChain's error for a missing provider."""

_OF_AN_EXTENSION = "An extension may bring it: coop list names those that are installed."

KEYS = {
    "openai": "OPENAI_API_KEY",
    "azure_openai": "AZURE_OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "google_genai": "GOOGLE_API_KEY",
    "groq": "GROQ_API_KEY",
    "mistralai": "MISTRAL_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "together": "TOGETHER_API_KEY",
    "xai": "XAI_API_KEY",
}


def _check(seat: Seat) -> None:
    """Refuse a model that cannot be called, as its key, address or package is missing."""
    _check_endpoint(seat)
    if not seat.base_url:
        _through_langchain(seat, _settings(seat))


def _model(seat: Seat, *, agent: str, seed: int) -> BaseChatModel:
    """Return the chat model of a seat, built once per event loop for all its agents."""
    here = clients_here()
    if seat not in here.models:
        here.models[seat] = _build(seat, here)
    return here.models[seat]


def _build(seat: Seat, here: Clients) -> BaseChatModel:
    _check_endpoint(seat)
    settings = _settings(seat)
    if seat.provider == "openai":
        from shapley_coop.seats.http import http_client

        settings["http_async_client"] = here.batched or http_client(here)
        if here.batched:
            settings["disable_streaming"] = True  # in a batch no answer is streamed
        if seat.base_url:
            settings |= {"base_url": seat.base_url, "stream_usage": True}
    return _through_langchain(seat, settings)


def _key(seat: Seat) -> str | None:
    """Return the key for a seat's endpoint; None if the client reads the key itself.

    Raises:
        CredentialsMissing: the key is not set; the text names its variable in one line.
    """
    variable = seat.key_env or KEYS.get(seat.provider, "")
    needed = seat.key_env or not is_here(seat.base_url)
    if variable and needed and not os.environ.get(variable):
        raise CredentialsMissing(f"{seat.model} needs {variable}: set it, or put it in .env")
    if not seat.key_env and not seat.base_url:
        return None
    key = key_for(seat, variable) or NO_KEY
    if seat.key_env:
        keep_out([key])  # traces hide the key even if it was set after tracing began
    return key


def is_here(url: str | None) -> bool:
    """Return whether an endpoint is on this machine, where a server needs no key."""
    host = urlsplit(url or "").hostname or ""
    return host == "localhost" or host.startswith("127.") or host == "::1"


def profile_of(seat: Seat) -> Mapping[str, Any]:
    """Return LangChain's profile of a seat's model; empty if LangChain has none.

    Raises:
        CredentialsMissing: the seat's key is not set.
        ValueError: the provider does not exist, or its package is not installed.
    """
    # LangChain finds the profile by the model's name, also behind a private endpoint.
    known = _through_langchain(seat, _settings(seat))
    return dict(known.profile or {})


def _check_endpoint(seat: Seat) -> None:
    _key(seat)
    if seat.base_url and seat.provider != "openai":
        raise ValueError(f"{seat.model}: base_url goes with openai:NAME, got {seat.provider}")


_GIVEN = {"temperature", "max_tokens", "top_p", "seed", "reasoning_effort"}


def _settings(seat: Seat) -> dict[str, Any]:
    given = seat.model_dump(include=_GIVEN, exclude_none=True)
    if seat.stop:
        given["stop"] = list(seat.stop)
    if seat.extra_body:
        given["extra_body"] = dict(seat.extra_body)
    if not seat.stream:
        given["disable_streaming"] = True
    if key := _key(seat):
        given["api_key"] = key
    # All attempts share one limit (`seats.asking`), so one slow request may use the whole limit.
    return {"timeout": seat.timeout * (RETRIES + 1), "max_retries": RETRIES, **given}


def _through_langchain(seat: Seat, settings: dict[str, Any]) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    try:
        return init_chat_model(seat.model, **settings)  # type: ignore[no-any-return]
    except ImportError as error:
        named = _INSTALL.search(str(error))
        package = named[1] if named else error.name or f"langchain-{seat.provider}"
        raise missing_library(seat.model, package) from None
    except ValueError as error:
        said = " ".join(str(error).split())
        if "Supported providers" in said:
            brought = _brought(seat.provider, seat.model.partition(":")[2]) or _OF_AN_EXTENSION
            said = f"LangChain knows no provider {seat.provider[:80]!r}. {brought}"
        raise ValueError(f"{seat.model}: {said[:200]}") from None


PROVIDER = Provider(_model, _check)


def _brought(provider: str, name: str) -> str:
    """Return a sentence that names an extension's seats for this model, or "" if there are none."""
    for module in extension.offered("programs"):
        if provider in module.rpartition(".")[2].split("_"):
            return f"An installed extension has it as python:{module}:{name}"
    return ""
