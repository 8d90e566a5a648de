"""The node `explain`: it tells the settlement, and where the run is seen and verified."""

from typing import Any

from langchain_core.messages import AIMessage

from shapley_coop.extensions.chat.state import Chat
from shapley_coop.extensions.chat.words import settlement_in_words


def explain(chat: Chat) -> dict[str, Any]:
    """Tell the settlement in words; the next message begins another game."""
    told = AIMessage(settlement_in_words(chat["outcome"] or {}), id=f"{chat['run']}.settlement")
    return {"messages": [told], "since": len(chat["messages"]) + 1, "game": None}
