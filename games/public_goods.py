"""Public goods: gifts are multiplied and shared by all, so that giving pays only jointly."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field, model_validator

from shapley_coop.amounts import exact
from shapley_coop.games.baseline import Absent
from shapley_coop.games.gives import NOT_GIVING
from shapley_coop.games.params import Names, Number, Params
from shapley_coop.games.symmetric import Formula, Piece, SymmetricGame


class PublicGoodsParams(Params):
    """The parameters of the fund; all defaults but for `levels` are Fehr and Gächter's (2000)."""

    agents: Names = Field(default=["Alice", "Bob", "Carol", "Dave"], min_length=2)
    rounds: int = Field(default=10, ge=1, le=10_000, description="The number of turns.")
    endowment: Number = Field(default=20, gt=0, description="Each agent's endowment per turn.")
    multiplier: Number = Field(default=1.6, gt=0, description="The factor on the fund.")
    levels: int = Field(
        default=1, ge=1, le=100, description="Into how many equal parts the endowment is divided."
    )
    absent: Absent = Field(default="keep", description="The baseline.")

    @model_validator(mode="after")
    def _dilemma(self) -> "PublicGoodsParams":
        n = len(self.agents)
        if not 1 < self.multiplier < n:
            raise ValueError(
                f"multiplier {self.multiplier} makes no dilemma: give a number above 1 and below "
                f"{n}"
            )
        return self


class PublicGoods(SymmetricGame):
    """Each keeps its endowment or gives it to a fund that is multiplied and shared by all."""

    name = "public_goods"
    title = "Public Goods"
    Params: ClassVar[type[Params]] = PublicGoodsParams
    params: PublicGoodsParams  # type: ignore[assignment]

    def also_called(self, action: str) -> Sequence[str]:
        """Return other words for giving nothing, and for giving all unless parts can be given."""
        if action == "keep":
            return [f"{said}{to}" for said in NOT_GIVING for to in ("", " to the fund")]
        if action != "give" or self.params.levels > 1:
            return ()
        much = ("", "everything ", f"all {self.params.endowment} ")
        return [f"{verb} {all_}to the fund" for verb in ("give", "contribute") for all_ in much]

    def story(self) -> str:
        """Return the game's story, as letters tell it."""
        return (
            f"Each has {self.params.endowment} in every turn and may give of it to a fund. What is "
            f"in the fund is multiplied by {self.params.multiplier} and shared evenly among all."
        )

    def formula(self) -> Formula:
        """Return each action's payoff: the endowment kept, plus an equal share of the fund."""
        p, n = self.params, len(self.agents)
        kept, part = exact(p.endowment), exact(p.endowment) / p.levels
        parts = ["keep", *(f"give {k}/{p.levels}" for k in range(1, p.levels)), "give"]
        each, own = exact(p.multiplier) * part / n, [kept - k * part for k in range(len(parts))]
        return {action: [Piece(0, own[k] + k * each, each)] for k, action in enumerate(parts)}


GAME = PublicGoods
