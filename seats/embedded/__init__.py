"""Embedded agents: chat models that answer from the letter alone. A simulation, no evidence.

An embedded agent parses the facts of its letter and computes. It never sees the game object,
another agent's secret, the answer, or which workflow it is in; a letter without a fact that it
needs makes it say that it cannot decide. It uses only what its letters had it work out: an agent
that was never asked to price an externality does not. That is a declared modelling assumption.
"""

from shapley_coop.seats.embedded.characters import CHARACTERS, character
from shapley_coop.seats.embedded.chat import EmbeddedChatModel

__all__ = ["CHARACTERS", "EmbeddedChatModel", "character"]
