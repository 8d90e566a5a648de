"""The state and the configuration of the chat's graph in `page`."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from shapley_coop.games import GameError, load
from shapley_coop.seats.seat import Seat, title_of

MOST_AGENTS = 5
"""The most agents at one table of a conversation."""


class ChatConfig(BaseModel):
    """How the conversation's tables are played."""

    model_config = ConfigDict(extra="forbid", field_title_generator=title_of)

    model: str = Field(
        default="embedded:rational",
        description="provider:name. It reads what you say, and sits at every seat. With "
        "'embedded:…' a program looks for plain sentences, and embedded agents bargain.",
        examples=["embedded:rational", "openai:gpt-5-mini"],
    )
    base_url: str | None = Field(
        default=None, title="Base URL", description="Of any OpenAI-compatible endpoint."
    )
    workflow: Literal[
        "llm_only", "negotiation", "negotiation_priced", "short_term", "shapley_coop", "contracts"
    ] = Field(default="shapley_coop", description="How they talk and settle.")
    seed: int = Field(default=0, description="Of the embedded agents.")

    def seat(self) -> Seat:
        """Return the seat that reads the conversation and plays every agent."""
        return Seat(model=self.model, base_url=self.base_url)


class Chat(TypedDict, total=False):
    """The chat's state. The text under each key names the nodes that write and clear the key."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation. Written by the person and by every node."""

    since: int
    """The number of messages that belong to earlier tables. Written by `explain`."""

    game: dict[str, Any] | None
    """The table of payoffs that waits for a decision or is being played. Written by `read` and
    `confirm`. Cleared by both if nothing is to be played, and by `explain` after the play."""

    assumed: list[str]
    """The assumptions about the table, in words. Written by `read`; cleared by `confirm`."""

    verdict: str
    """The latest node's verdict, by which the graph branches. Written by `read` and `confirm`."""

    episode: str
    """The episode played last, which the next play follows. Written by `play`."""

    outcome: dict[str, Any] | None
    """The result of the play. Written by `play`."""


def fault_of(game: Mapping[str, Any]) -> str:
    """Return why a table of payoffs cannot be played, or "" if it can."""
    if len(game.get("agents") or ()) > MOST_AGENTS:
        return f"at most {MOST_AGENTS} can bargain here"
    try:
        load(dict(game))
    except GameError as error:
        return str(error)
    return ""
