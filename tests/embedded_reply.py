"""Replies for `StubOpenAI`: an endpoint behind which an embedded agent sits."""

from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from shapley_coop.seats.embedded import EmbeddedChatModel


def reply(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """Answer as the agent that the model's name begins with: `Alice`, or `Alice-17`."""
    letter: list[BaseMessage] = [
        (SystemMessage if message["role"] == "system" else HumanMessage)(message["content"])
        for message in messages
    ]
    agent = request["model"].partition("-")[0]
    return str(EmbeddedChatModel(character="rational", agent=agent).invoke(letter).text)
