"""The node `explain`, which explains the settlement, and how to view and verify the run."""

from typing import Any

from langchain_core.messages import AIMessage

from shapley_coop.extensions.chat.state import Chat
from shapley_coop.extensions.chat.words import settlement_in_words


def explain(chat: Chat) -> dict[str, Any]:
    """Write the settlement as a chat message; the person's next message begins another game."""
    told = AIMessage(settlement_in_words(chat["outcome"] or {}), id=f"{chat['run']}.settlement")
    return {"messages": [told], "since": len(chat["messages"]) + 1, "game": None}
