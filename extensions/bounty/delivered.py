"""The game `delivered`: the work is done and counted, and the agents divide its bounty."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from pydantic import Field, model_validator

from shapley_coop.amounts import apportion, exact
from shapley_coop.earned_value import WEIGHTS, Weights, parts
from shapley_coop.games.analysis import Analysis, BountyAnalysis
from shapley_coop.games.baseline import MADE_NOTHING, Baseline
from shapley_coop.games.game import Game
from shapley_coop.games.params import GameError, Number, Params
from shapley_coop.games.replay import Replays, additive, own_rewards
from shapley_coop.games.turns import Position, Step, Turn

DELIVER = "deliver"

_PAPER: dict[str, dict[str, str | Number]] = {
    "CEO": {"decisions": 3},
    "Counselor": {"documents": 3},
    "CPO": {"decisions": 1, "documents": 4},
    "CTO": {"decisions": 2},
    "Programmer": {"code": 45, "fixes": 3},
    "Reviewer": {"code": 7, "fixes": 3},
}


class DeliveredParams(Params):
    """The finished work and its bounty; the defaults are the BMI calculator of the paper."""

    agents: list[str] = Field(default=list(_PAPER), min_length=2, description="The contributors.")
    artefacts: dict[str, dict[str, str | Number]] = Field(
        default=_PAPER, description="Agent → kind → count; a fraction as text, such as '7/2'."
    )
    weights: Weights = Field(
        default=WEIGHTS,
        min_length=1,
        description="Kind of work → its lowest and highest weight, in percent.",
    )
    bounty: Number = Field(default=100, gt=0, le=10**9, description="The amount to divide.")
    currency: str = Field(default="", max_length=16, description="The currency of the bounty.")
    decimals: int = Field(default=2, ge=0, le=6, description="Decimals of the amounts to be paid.")
    work: str = Field(default="", max_length=400, description="Where to find the work, in words.")
    made: dict[str, str] = Field(default={}, description="Agent → its work in words.")

    @model_validator(mode="before")
    @classmethod
    def _whoever_made_something(cls, params: Any) -> Any:
        if isinstance(params, dict) and isinstance(params.get("artefacts"), dict):
            return {"agents": list(params["artefacts"]), **params}
        return params

    @model_validator(mode="after")
    def _consistent(self) -> "DeliveredParams":
        if set(self.agents) != set(self.artefacts):
            raise ValueError("agents and artefacts name different people: name the same in both")
        for agent, made in self.artefacts.items():
            if strangers := set(made) - set(self.weights):
                raise ValueError(f"{agent}'s {sorted(strangers)} have no weight: give one for each")
            if any(count_of(count) < 0 for count in made.values()):
                raise ValueError(f"{agent} made a negative number of something")
        if strangers := set(self.made) - set(self.agents):
            raise ValueError(f"made: {sorted(strangers)} are not agents")
        for kind, (low, high) in self.weights.items():
            if not 0 <= low <= high <= 100:
                raise ValueError(f"the weight of {kind} is {low} to {high}: 0 ≤ low ≤ high ≤ 100")
        divided(exact(self.bounty), {}, self.decimals)
        return self


class DeliveredAnalysis(BountyAnalysis):
    """The credit analysis of a bounty for work that is already done and counted."""

    def replays(self, record: Sequence[Turn]) -> Replays:
        """Return an additive game: a coalition's value is the sum of its members' payments."""
        paid = own_rewards(record, self.game.agents)
        return additive(self.game.agents, [paid[agent] for agent in self.game.agents])


class Delivered(Game):
    """Work is finished; its bounty is divided by the counted work, or as all agree.

    Its single turn divides the whole bounty by Weighted Earned Value. These payments are final
    unless the agents agree on another split. A coalition's value is the sum of its members'
    payments.
    """

    name = "delivered"
    rolls_dice = False
    own_baseline = True
    Params: ClassVar[type[Params]] = DeliveredParams
    analysed_by: ClassVar[type[Analysis]] = DeliveredAnalysis
    params: DeliveredParams

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__(params, seed)
        self.actions = {agent: [DELIVER] for agent in self.agents}
        self.currency = self.params.currency

    @property
    def turns(self) -> int:
        """The number of turns: always one, since finished work is paid once."""
        return 1

    def start(self) -> Position:
        """Return the position at the start of the game, in which nothing is paid yet."""
        return {"paid": False}

    def legal(self, position: Position, agent: str) -> list[str]:
        """Return the only action, `deliver`; the work counts even if an agent does not act."""
        return [] if self.over(position) else [DELIVER]

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Return the game's only step, which pays each agent for its artefacts."""
        self.check(position, actions)
        p = self.params
        artefacts = {a: {k: count_of(n) for k, n in p.artefacts[a].items()} for a in self.agents}
        paid = divided(exact(p.bounty), parts(artefacts, p.weights), p.decimals)
        made = [
            {"effect": "made", "agent": agent, "kind": kind, "count": count}
            for agent in self.agents
            for kind, count in p.artefacts[agent].items()
        ]
        return Step({"paid": True}, paid, effects=made)

    def over(self, position: Position) -> bool:
        """Return whether the payments are made, which ends the game."""
        return bool(position["paid"])

    def default_baseline(self) -> Baseline:
        """Return the baseline: an absent agent has made nothing."""
        return MADE_NOTHING

    def rules(self) -> str:
        """Return the rules: a table of the artefacts, and the weights that value them."""
        p = self.params
        kinds = [k for k in p.weights if any(k in made for made in p.artefacts.values())]
        table = [
            f"| {agent} | " + " | ".join(str(p.artefacts[agent].get(k, 0)) for k in kinds) + " |"
            for agent in self.agents
        ]
        return "\n".join(
            [
                f"The work is done{p.work and f' ({p.work})'}, and "
                + f"{p.bounty} {p.currency}".rstrip()
                + " are to be divided among those who made something:",
                "",
                "| who | " + " | ".join(kinds) + " |",
                "|" + " --- |" * (len(kinds) + 1),
                *table,
                "",
                "Each kind is worth a share of the whole, and each of you your part of the kind: "
                + ", ".join(
                    f"{k} {low:.4g}–{high:.4g} %"
                    for k, (low, high) in p.weights.items()
                    if k in kinds
                )
                + ". Everybody is paid by the middle of these weights"
                + self._scaled()
                + ", unless you all agree otherwise.",
            ]
        )

    def _scaled(self) -> str:
        """Return a sentence on how the weights are scaled to 100 %; "" if no work has a weight."""
        made = self.params.artefacts.values()
        middles = {
            kind: exact(low) + exact(high)
            for kind, (low, high) in self.params.weights.items()
            if any(count_of(counts.get(kind, 0)) for counts in made)
        }
        if not (whole := sum(middles.values())):
            return ""
        told = ", ".join(f"{k} {float(100 * x / whole):.4g} %" for k, x in middles.items())
        return f", scaled to 100 % in all, as kinds that nobody made are left out ({told})"

    def happened(self, turn: Turn) -> str:
        """Return "": the rules already say everything about the turn."""
        return ""

    def facts(self) -> dict[str, Any]:
        """Return the agents' artefacts, the weights and the bounty."""
        p = self.params
        return {
            "agents": list(self.agents),
            "actions": self.actions,
            "artefacts": p.artefacts,
            "weights": {kind: list(ends) for kind, ends in p.weights.items()},
            "bounty": p.bounty,
            "currency": p.currency,
            "made": {agent: p.made.get(agent) or self._counts(agent) for agent in self.agents},
            "turns": 1,
        }

    def _counts(self, agent: str) -> str:
        """Return an agent's artefacts in words: each kind and its count."""
        return ", ".join(f"{k} {n}" for k, n in self.params.artefacts[agent].items()) or "nothing"


def divided(amount: Fraction, by: Mapping[str, Fraction], decimals: int) -> dict[str, Number]:
    """Return agent → share of an amount, in proportion to `by`; the shares sum to the amount.

    Shares are rounded to `decimals` decimals by largest remainder; ties favour earlier agents.

    Raises:
        GameError: the amount has more than `decimals` decimals.
    """
    unit = 10**decimals
    if (amount * unit).denominator != 1:
        raise GameError(
            f"{float(amount)} has more than {decimals} decimals: round it, or allow more"
        )
    units = apportion(int(amount * unit), list(by.values())) if by else []
    shares = (Fraction(n, unit) for n in units)
    return {a: int(x) if x.denominator == 1 else float(x) for a, x in zip(by, shares, strict=True)}


def count_of(count: str | Number) -> Fraction:
    """Return a count of artefacts, such as '7/2', as an exact fraction.

    Raises:
        ValueError: the text is not a count.
    """
    written = re.fullmatch(r"-?\d{1,18}(\.\d{1,12})?(/[1-9]\d{0,17})?", str(count))
    if written is None or ("." in str(count) and "/" in str(count)):
        raise ValueError(f"{str(count)[:40]!r} is not a count: give 3, 2.5 or '7/2'")
    return Fraction(str(count))


GAME = Delivered
