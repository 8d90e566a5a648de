"""Public goods: what each gives is multiplied and shared by all: giving pays only jointly."""

from itertools import product
from typing import ClassVar

from pydantic import Field, model_validator

from shapley_coop.games.baseline import Absent
from shapley_coop.games.matrix import MAX_JOINT_ACTIONS, MatrixGame, MatrixParams
from shapley_coop.games.params import Number, Params


class PublicGoodsParams(Params):
    """The numbers of the fund; the defaults are those of Fehr and Gächter (2000)."""

    agents: list[str] = Field(default=["Alice", "Bob", "Carol", "Dave"], min_length=2)
    rounds: int = Field(default=10, ge=1, le=10_000, description="How many turns.")
    endowment: Number = Field(default=20, gt=0, description="What each has in every turn.")
    multiplier: Number = Field(default=1.6, gt=0, description="What a unit in the fund becomes.")
    levels: int = Field(default=1, ge=1, le=100, description="Equal parts it can be given in.")
    absent: Absent = Field(default="keep", description="What credit compares with.")

    @model_validator(mode="after")
    def _dilemma(self) -> "PublicGoodsParams":
        n = len(self.agents)
        if not 1 < self.multiplier < n:
            raise ValueError(f"multiplier {self.multiplier} is not a dilemma: above 1, below {n}")
        if (self.levels + 1) ** n > MAX_JOINT_ACTIONS:
            raise ValueError(f"{n} agents and {self.levels} levels are too many: take fewer")
        return self


class PublicGoods(MatrixGame):
    """Each keeps its endowment or gives it to a fund that is multiplied and shared by all."""

    name = "public_goods"
    Params: ClassVar[type[Params]] = PublicGoodsParams
    params: PublicGoodsParams  # type: ignore[assignment]

    def table(self) -> MatrixParams:
        """Payoffs: what is kept, and an even part of the multiplied fund."""
        p, kept = self.params, self.params.endowment
        parts = ["keep", *(f"give {k}/{p.levels}" for k in range(1, p.levels)), "give"]
        gifts = {part: kept * k / p.levels for k, part in enumerate(parts)}
        return MatrixParams(
            name="Public Goods",
            about=f"Each has {kept} in every turn and may give of it to a fund. What is in "
            f"the fund is multiplied by {p.multiplier} and shared evenly among all.",
            agents=p.agents,
            rounds=p.rounds,
            actions=dict.fromkeys(p.agents, parts),
            payoffs=[
                {"play": list(play), "pays": [round(kept - gifts[x] + each, 6) for x in play]}
                for play in product(parts, repeat=len(p.agents))
                for each in [p.multiplier * sum(gifts[x] for x in play) / len(p.agents)]
            ],
        )


GAME = PublicGoods
