"""From `provider:name` to a chat model: the only place where models are looked up."""

import asyncio
import os
from typing import Any
from weakref import WeakKeyDictionary

from langchain_core.language_models import BaseChatModel

from seats.seat import EMBEDDED, RECORDING, CredentialsMissing, Seat

RETRIES = 2
"""Requests repeated by the client, and by nothing else, after 408, 409, 429 and 5xx."""

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

_Clients = WeakKeyDictionary[asyncio.AbstractEventLoop, Any]
_clients: _Clients = WeakKeyDictionary()


def check_seat(seat: Seat) -> None:
    """Refuse a seat that could not answer, before anything is played.

    Raises:
        CredentialsMissing: its key is not set.
        ValueError: there is no such character, recording or provider.
    """
    if seat.provider == EMBEDDED:
        from seats.embedded import character

        character(seat.name)
    elif seat.provider == RECORDING:
        from seats.recording import read_recording

        read_recording(seat.name)
    elif (variable := KEYS.get(seat.provider)) and not os.environ.get(variable):
        raise CredentialsMissing(f"{seat.model} needs {variable}: set it, or put it in .env")
    elif seat.base_url and seat.provider != "openai":
        raise ValueError(f"{seat.model}: base_url goes with openai:NAME, got {seat.provider}")
    elif not seat.base_url:
        _through_langchain(seat)


def chat_model(seat: Seat, *, agent: str, seed: int) -> BaseChatModel:
    """The chat model that answers for `agent`.

    Args:
        seat: which model, and with what settings.
        agent: whose letters it answers; an embedded character draws its traits from it.
        seed: of an embedded character.
    """
    if seat.provider == EMBEDDED:
        from seats.embedded import EmbeddedChatModel

        return EmbeddedChatModel(character=seat.name, agent=agent, seed=seed)
    if seat.provider == RECORDING:
        from seats.recording import RecordedChatModel

        return RecordedChatModel(path=seat.name, agent=agent)
    if seat.base_url:
        from langchain_openai import ChatOpenAI

        return ChatOpenAI(
            model=seat.name, base_url=seat.base_url, stream_usage=True, **_settings(seat)
        )
    return _through_langchain(seat)


def _through_langchain(seat: Seat) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    try:
        return init_chat_model(seat.model, **_settings(seat))  # type: ignore[no-any-return]
    except ImportError as error:
        package = getattr(error, "name", None) or "its integration package"
        raise ValueError(f"{seat.model}: {package} is not installed: pip install it") from None
    except ValueError as error:
        raise ValueError(f"{seat.model}: {' '.join(str(error).split())[:200]}") from None


def _settings(seat: Seat) -> dict[str, Any]:
    settings: dict[str, Any] = {"timeout": seat.timeout, "max_retries": RETRIES}
    if seat.temperature is not None:
        settings["temperature"] = seat.temperature
    if seat.max_tokens is not None:
        settings["max_tokens"] = seat.max_tokens
    if seat.provider == "openai":
        settings["http_async_client"] = _http_client()
    return settings


def _http_client() -> Any:
    """One aiohttp transport per event loop: half the CPU of a call, and no client crosses loops."""
    from openai import DefaultAioHttpClient

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    if loop not in _clients:
        _clients[loop] = DefaultAioHttpClient()
    return _clients[loop]


async def close_clients() -> None:
    """Close this event loop's client; whoever owns the loop calls it at the end."""
    client = _clients.pop(asyncio.get_running_loop(), None)
    if client is not None:
        await client.aclose()
