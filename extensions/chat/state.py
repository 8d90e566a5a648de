"""The conversation's state and configuration: `page` wires it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from shapley_coop.games import GameError, load
from shapley_coop.seats.seat import Seat, title_of

MOST_AGENTS = 5
"""At one table of a conversation."""


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
        """Return who reads, and who sits at every seat."""
        return Seat(model=self.model, base_url=self.base_url)


class Chat(TypedDict, total=False):
    """The state. Each key: what it is; who writes it; when it is cleared."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation. Written by the person and by every node."""

    since: int
    """How many messages belong to earlier tables. Written by `play`."""

    game: dict[str, Any] | None
    """The table of payoffs that waits for a decision, or was played last. Written by `read` and
    `confirm`. Cleared by `read` and `confirm`, where nothing is to be played."""

    assumed: list[str]
    """What nobody said about it. Written by `read`."""

    verdict: str
    """What the latest node found, by which the page branches. Written by `read` and `confirm`."""

    episode: str
    """The episode played last, which the next one follows. Written by `play`."""

    outcome: dict[str, Any] | None
    """The result of the play. Written by `play`."""


def fault_of(game: Mapping[str, Any]) -> str:
    """Return why a table of payoffs cannot be played; empty if it can."""
    if len(game.get("agents") or ()) > MOST_AGENTS:
        return f"at most {MOST_AGENTS} can bargain here"
    try:
        load(dict(game))
    except GameError as error:
        return str(error)
    return ""
