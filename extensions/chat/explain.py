"""The node `explain`, which explains the settlement of the play."""

from typing import Any

from langchain_core.messages import AIMessage

from shapley_coop.extensions.chat.state import Chat
from shapley_coop.extensions.chat.words import settlement_in_words


def explain(chat: Chat) -> dict[str, Any]:
    """Write the settlement in words, and reset the state so the next message begins a new table."""
    told = AIMessage(settlement_in_words(chat["outcome"] or {}), id=f"{chat['episode']}.settlement")
    return {"messages": [told], "since": len(chat["messages"]) + 1, "game": None}
