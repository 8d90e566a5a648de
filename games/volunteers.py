"""Volunteer's Dilemma (Diekmann, 1985): one is enough for all, and it costs that one."""

from itertools import product
from typing import ClassVar

from pydantic import Field

from shapley_coop.games.baseline import Absent
from shapley_coop.games.matrix import MatrixGame, MatrixParams
from shapley_coop.games.params import Number, Params


class VolunteersParams(Params):
    """What can be set with --set."""

    agents: list[str] = Field(default=["Alice", "Bob", "Carol"], min_length=2, max_length=12)
    benefit: Number = Field(default=5, description="What each has once somebody volunteers.")
    cost: Number = Field(default=2, description="What it costs each who does.")
    absent: Absent = Field(default="wait", description="What credit compares with.")


class Volunteers(MatrixGame):
    """All benefit once one volunteers, and everybody would rather that another did."""

    name = "volunteers"
    Params: ClassVar[type[Params]] = VolunteersParams
    params: VolunteersParams  # type: ignore[assignment]

    def table(self) -> MatrixParams:
        """What every joint action pays."""
        p, acts = self.params, ["wait", "volunteer"]
        return MatrixParams(
            name="Volunteer's Dilemma",
            about=f"If anybody volunteers, everybody has {p.benefit}; it costs {p.cost}.",
            agents=p.agents,
            rounds=p.rounds,
            actions=dict.fromkeys(p.agents, acts),
            payoffs=[
                {"play": list(play), "pays": [helped - p.cost * (x == "volunteer") for x in play]}
                for play in product(acts, repeat=len(p.agents))
                for helped in [p.benefit * ("volunteer" in play)]
            ],
        )


GAME = Volunteers
