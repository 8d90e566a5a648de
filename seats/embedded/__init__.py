"""Embedded agents: simulated chat models. Their behaviour is no evidence about real LLMs.

An embedded agent computes its answer from its letter's facts. The agent never sees the game object,
another agent's secret, a solution, or the workflow. If a fact is missing, the agent says that it
cannot decide. The agent uses only results that its letters asked for: it prices an externality
only after a letter asked it to reason about prices. This is a declared modelling assumption.
"""

from shapley_coop.seats.embedded.characters import CHARACTERS, character
from shapley_coop.seats.embedded.chat import EmbeddedChatModel

__all__ = ["CHARACTERS", "EmbeddedChatModel", "character"]
