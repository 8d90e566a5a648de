"""The state and the configuration of the chat graph (`page`)."""

from collections.abc import Mapping, Sized
from typing import Annotated, Any, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from shapley_coop.games import load
from shapley_coop.graphs.catalogue import builder
from shapley_coop.invalid import first_error
from shapley_coop.seats.seat import Seat, title_of
from shapley_coop.state.workflow_config import playable

MOST_AGENTS = 5
"""The most agents of a game that the conversation makes."""

MOST_PLAYS = 1_024
"""The most joint actions of a game that the conversation makes: as 5 agents with 4 actions have."""


class ChatConfig(BaseModel):
    """The settings of a conversation: the model that reads it, and the workflow of its games."""

    model_config = ConfigDict(extra="forbid", field_title_generator=title_of)

    model: str = Field(
        default="embedded:rational",
        description="provider:name. The model reads what you say and answers for every agent. "
        "With 'embedded:…' you name a game, and embedded agents play it.",
        examples=["embedded:rational", "openai:gpt-5-mini"],
    )
    base_url: str | None = Field(
        default=None, title="Base URL", description="The URL of any OpenAI-compatible endpoint."
    )
    workflow: Literal[
        "llm_only", "negotiation", "negotiation_priced", "short_term", "shapley_coop", "contracts"
    ] = Field(
        default="shapley_coop", description="The workflow in which the agents talk and settle."
    )
    seed: int = Field(default=0, ge=0, lt=2**63, description="The seed of embedded agents.")

    def seat(self) -> Seat:
        """Return the seat that reads the conversation and answers for every agent."""
        return Seat(model=self.model, base_url=self.base_url)


class Chat(TypedDict, total=False):
    """The conversation's state. A note on each key says who writes the key and who clears it."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation. Written by the person and by every node."""

    since: int
    """The number of messages that belong to earlier games. Written by `explain`."""

    game: dict[str, Any] | None
    """The `game` and `params` that wait for a decision, or were played last. Written by `read` and
    `confirm`. Cleared by `read`, `confirm` and `explain`, when no game waits."""

    notes: list[str]
    """What the model took over, took as withdrawn and assumed. Written by `read`."""

    verdict: str
    """The verdict of the latest node, which selects the next node. Written by `read` and
    `confirm`."""

    run: str
    """The name of the latest run. Written by `play`."""

    outcome: dict[str, Any] | None
    """The result of the latest run, without its talk and events. Written by `play`."""


class Proposal(BaseModel):
    """A proposed game, and the parameters that differ from the game's defaults."""

    model_config = ConfigDict(extra="forbid")

    game: str | dict[str, Any] = Field(description="A game's name, or a payoff file's content.")
    params: dict[str, int | float | bool] = Field(default={}, description="The game's parameters.")


def playable_games(workflow: str) -> list[str]:
    """Return the names of the games that a workflow plays."""
    page = builder(workflow)
    found = []
    for name in playable(page.plays):
        try:
            page.check_game(load(name))
        except ValueError:
            continue
        found.append(name)
    return found


def proposal_of(given: Any, workflow: str) -> dict[str, Any] | str:
    """Return the given proposal with defaults filled in, or the reason why it cannot be played.

    Every game that a caller can write, as an edit or in the chat's state, passes this check
    before a play. A proposal has only a game and numbers: no file, secret or other run setting.
    """
    try:
        proposal = Proposal.model_validate(given)
    except ValidationError as error:
        return str(first_error(error, Proposal))
    game, params = proposal.game, proposal.params
    if isinstance(game, str) and game not in playable_games(workflow):
        return f"there is no game {game!r} for {workflow}"
    if isinstance(game, dict) and _is_large(game):
        return f"at most {MOST_AGENTS} agents and {MOST_PLAYS} joint actions can be played here"
    try:
        builder(workflow).check_game(load(game, params))
    except ValueError as error:
        return str(error)
    return proposal.model_dump()


def _is_large(table: Mapping[str, Any]) -> bool:
    bounds = {"agents": MOST_AGENTS, "payoffs": MOST_PLAYS}
    sizes = {key: table.get(key) for key in bounds}
    return any(isinstance(one, Sized) and len(one) > bounds[key] for key, one in sizes.items())
