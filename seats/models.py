"""The application's only lookup of chat models by `provider:name`."""

from langchain_core.language_models import BaseChatModel

from shapley_coop import extension
from shapley_coop.seats.provider import Actions, Opening, provider_of
from shapley_coop.seats.seat import Seat

RETRIES = 2
"""Most retries of a request by the HTTP client, which alone retries: on 408, 409, 429 and 5xx."""


def check_seat(seat: Seat, actions: Actions | None = None, opening: Opening | None = None) -> None:
    """Refuse a seat that could not answer, before the play begins.

    Args:
        seat: the seat to check.
        actions: agent → its actions in the game; a factory with the method `check_actions` may
            refuse them.
        opening: returns the game's observation before the first turn; a factory with the method
            `check_opening` may refuse it.

    Raises:
        CredentialsMissing: the seat's key is not set.
        ValueError: the character, recording, callable or provider does not exist, or the
            callable cannot play this game.
    """
    if seat.options and seat.provider not in extension.offered("seats"):
        raise ValueError(f"{seat.model}: options are for seats that an extension brings")
    provider = provider_of(seat)
    provider.check(seat)
    provider.check_game(seat, actions, opening)


def chat_model(seat: Seat, *, agent: str, seed: int) -> BaseChatModel:
    """Return the chat model that answers for `agent`.

    LangChain's models are built once per seat and event loop.

    Args:
        seat: the model and its settings.
        agent: the agent; an embedded character's traits depend on the agent's name.
        seed: the seed of an embedded character.

    Raises:
        CredentialsMissing: the seat's key is not set.
        ValueError: the character or provider does not exist, or its package is not installed.
    """
    found = provider_of(seat).make(seat, agent=agent, seed=seed)
    if not isinstance(found, BaseChatModel):
        reason = f"it made a {type(found).__name__}, no LangChain chat model"
        raise extension.faulty("seats", seat.provider, reason)
    return found
