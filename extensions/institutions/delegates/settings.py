"""The settings of groups and of the choice of delegates."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from shapley_coop.games import Game
from shapley_coop.state.additions import Addition
from shapley_coop.state.run_config import RunConfig


class Delegation(BaseModel):
    """The settings of a run in which delegates bargain."""

    model_config = ConfigDict(extra="forbid")

    grouping: Literal["interest", "random"] = Field(
        default="interest",
        description="How agents are grouped when delegates bargain: by similar payoffs, or at "
        "random, by the seed.",
    )
    groups: int = Field(
        default=0,
        ge=0,
        le=100,
        description="The number of groups when delegates bargain; 0: two to five.",
    )
    election: Literal["vote", "lot"] = Field(
        default="vote",
        description="How a group chooses its delegate: by vote, or by lot.",
    )


class Delegating(Addition[Delegation]):
    """The check that the game's agents can form the configured number of groups."""

    settings = Delegation

    def resolved(self, settings: Delegation, game: Game) -> Delegation:
        """Return the delegates' settings; refuse a single group, and more groups than agents.

        Raises:
            ValueError: the number of groups is not possible.
        """
        if settings.groups == 1 or settings.groups > len(game.agents):
            raise ValueError(
                f"groups is {settings.groups}: choose 2 to {len(game.agents)}, or 0 for the default"
            )
        return settings


ADDITION = Delegating()


def delegation_of(config: RunConfig) -> Delegation:
    """Return a run's settings for delegates; settings that are not given have their defaults."""
    return Delegation.model_validate(config.extensions.get("institutions", {}))
