"""Embedded agents: simulated chat models. Their behaviour is no evidence about real LLMs.

An embedded agent computes its answer from its letter's facts. The agent never sees the game object,
another agent's secret, a solution, or the workflow. If a fact is missing, the agent says that it
cannot decide. The agent uses only results that its letters asked for: it prices an externality
only after a letter asked it to reason about prices. This is a declared modelling assumption.
"""

from shapley_coop.seats.embedded.characters import CHARACTERS, character
from shapley_coop.seats.embedded.chat import EmbeddedChatModel
from shapley_coop.seats.provider import Provider
from shapley_coop.seats.seat import Seat

__all__ = ["CHARACTERS", "PROVIDER", "EmbeddedChatModel", "character"]


def _check(seat: Seat) -> None:
    """Refuse a seat whose embedded character does not exist."""
    character(seat.name)


def _model(seat: Seat, *, agent: str, seed: int) -> EmbeddedChatModel:
    _check(seat)
    return EmbeddedChatModel(character=seat.name, agent=agent, seed=seed)


PROVIDER = Provider(_model, _check, in_text=True)
