"""Volunteer's Dilemma (Diekmann, 1985): one volunteer suffices, and each volunteer has a cost."""

from typing import ClassVar

from pydantic import Field

from shapley_coop.amounts import exact
from shapley_coop.games.baseline import Absent
from shapley_coop.games.params import Names, Number, Params
from shapley_coop.games.symmetric import Formula, Piece, SymmetricGame


class VolunteersParams(Params):
    """The benefit and cost of volunteering, which `--set` can change."""

    agents: Names = Field(default=["Alice", "Bob", "Carol"], min_length=2)
    benefit: Number = Field(default=5, description="Each agent's reward if one volunteers.")
    cost: Number = Field(default=2, description="The cost of volunteering.")
    absent: Absent = Field(default="wait", description="The baseline: waiting adds 0.")


class Volunteers(SymmetricGame):
    """All agents benefit once one volunteers, and each prefers that another does it."""

    name = "volunteers"
    title = "Volunteer's Dilemma"
    Params: ClassVar[type[Params]] = VolunteersParams
    params: VolunteersParams  # type: ignore[assignment]

    def story(self) -> str:
        """Return the game's story, as letters tell it."""
        p = self.params
        return f"If anybody volunteers, everybody has {p.benefit}; it costs {p.cost}."

    def formula(self) -> Formula:
        """Return each action's payoff by the number of other agents that volunteer."""
        p = self.params
        return {
            "wait": [Piece(0, 0), Piece(1, p.benefit)],
            "volunteer": [Piece(0, exact(p.benefit) - exact(p.cost))],
        }


GAME = Volunteers
