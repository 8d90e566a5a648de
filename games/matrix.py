"""Normal-form games for any number of agents, written as a table of payoffs."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from shapley_coop.games.analysis import Analysis
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.game import Game
from shapley_coop.games.matrix_analysis import MatrixAnalysis
from shapley_coop.games.params import GameError, Params, Payoff, is_name, one_line
from shapley_coop.games.table import Payoffs, PayoffTable
from shapley_coop.games.turns import Position, Step

MAX_JOINT_ACTIONS = 100_000
MAX_PAYOFF = 10**9


class Outcome(BaseModel):
    """One joint action, and the payoffs that it gives."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    play: list[str] = Field(description="One action per agent, in the order of the agents.")
    pays: list[Payoff] = Field(
        description="One payoff per agent, in the same order; '1/4' stands for 0.25."
    )


class MatrixParams(Params):
    """A normal-form game: the agents, their actions, and the payoffs of every joint action.

    Example (YAML)::

        name: tug
        agents: [Ann, Ben]
        actions: {Ann: [pull, wait], Ben: [pull, wait]}
        payoffs:
          - {play: [pull, pull], pays: [0, 0]}
          - {play: [pull, wait], pays: [3, -1]}
          - {play: [wait, pull], pays: [-1, 3]}
          - {play: [wait, wait], pays: [1, 1]}
        rounds: 1
        absent: pull
    """

    name: str = Field(default="matrix game", description="The game's name in letters.")
    about: str = Field(default="", description="One or two sentences of background story.")
    currency: str = Field(
        default="", max_length=16, description="The unit of the payoffs, as in EUR; empty: points."
    )
    actions: dict[str, list[str]] = Field(description="Agent → its possible actions.")
    payoffs: list[Outcome] = Field(description="A list with each joint action once.")

    @model_validator(mode="after")
    def _complete(self) -> "MatrixParams":
        if missing := [a for a in self.agents if not self.actions.get(a)]:
            raise ValueError(f"actions are missing for {', '.join(missing)}")
        if extra := set(self.actions) - set(self.agents):
            raise ValueError(f"actions are given for {sorted(extra)}, who are not among the agents")
        for agent, acts in self.actions.items():
            if len(set(acts)) < len(acts):
                raise ValueError(f"{agent}'s actions {acts} repeat one: name each once")
            check_names(agent, acts)
        if prod(len(a) for a in self.actions.values()) > MAX_JOINT_ACTIONS:
            raise ValueError(f"more than {MAX_JOINT_ACTIONS} joint actions: use a smaller game")
        seen: set[tuple[str, ...]] = set()
        for cell in self.payoffs:
            self._check_cell(cell)
            if tuple(cell.play) in seen:
                raise ValueError(f"{cell.play} has two entries: give every joint action once")
            seen.add(tuple(cell.play))
        for play in product(*(self.actions[a] for a in self.agents)):
            if play not in seen:
                raise ValueError(f"{list(play)} has no payoffs: list every joint action once")
        return self

    def _check_cell(self, cell: Outcome) -> None:
        n = len(self.agents)
        if len(cell.play) != n or len(cell.pays) != n:
            raise ValueError(
                f"play {cell.play} pays {cell.pays}: give {n} actions and {n} payoffs, one per "
                "agent"
            )
        if any(abs(x) * self.rounds > MAX_PAYOFF for x in cell.pays):
            raise ValueError(
                f"play {cell.play} pays {cell.pays}: each agent's payoffs over all rounds may sum "
                f"to at most {MAX_PAYOFF}"
            )
        for agent, action in zip(self.agents, cell.play, strict=True):
            if action not in self.actions[agent]:
                known = ", ".join(self.actions[agent])
                raise ValueError(f"{agent} cannot {action!r} in {cell.play}: it can {known}")


def check_names(agent: str, actions: Sequence[str]) -> None:
    """Check that an agent can name its actions in a message.

    Raises:
        ValueError: an action's name is not allowed; the error gives the name and the rule.
    """
    if unspeakable := [x for x in actions if not _speakable(x)]:
        raise ValueError(
            f"{agent} could not name {unspeakable[0]!r} in a message: use 1 to 64 printable "
            "characters for an action, without < or >, and no space at either end"
        )


def _speakable(action: str) -> bool:
    """Return whether an action can be written between tags and read back unchanged."""
    return is_name(action) and not set(action) & set("<>")


class MatrixGame(Game):
    """A normal-form game from a small file, repeated for `rounds` turns."""

    name = "matrix"
    rolls_dice = False
    needs_seed = False
    Params: ClassVar[type[Params]] = MatrixParams
    analysed_by: ClassVar[type[Analysis]] = MatrixAnalysis
    params: MatrixParams

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__(params, seed)
        try:
            self.payoffs = self.build()
        except ValidationError as error:
            raise GameError(one_line(self.called(params or {}), self.Params, error)) from None

    def build(self) -> Payoffs:
        """Set the title, story and actions, and return the payoffs of joint actions."""
        told = self.table()
        self.actions, self.title, self.about = told.actions, told.name, told.about
        self.currency = told.currency
        pays = {
            tuple(cell.play): dict(zip(self.agents, cell.pays, strict=True))
            for cell in told.payoffs
        }
        return PayoffTable(self.agents, self.actions, pays)

    @classmethod
    def called(cls, params: Mapping[str, Any]) -> str:
        """Return the name that the file gives its game; for a subclass, the class's name."""
        return cls.name if cls is not MatrixGame else str(params.get("name") or "table of payoffs")

    def table(self) -> MatrixParams:
        """Return the payoffs; a subclass computes them from its parameters."""
        return self.params

    def summary(self) -> str:
        """Return the story of the game if it has one, else the default summary."""
        return self.about or super().summary()

    def start(self) -> Position:
        """Return the position before the first turn."""
        return {"turn": 1}

    def legal(self, position: Position, agent: str) -> list[str]:
        """Return all of an agent's actions, or none after the last turn."""
        return [] if self.over(position) else list(self.actions[agent])

    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Return the rewards of the joint action.

        If some agents took no action, each agent gets its lowest payoff over all actions that the
        idle agents could have taken.
        """
        self.check(position, actions)
        rewards = self.payoffs.rewards(actions)
        idle = [{"effect": "idle", "agent": a} for a in self.agents if a not in actions]
        return Step({"turn": position["turn"] + 1}, rewards, effects=idle)

    def over(self, position: Position) -> bool:
        """Return whether the last round is played."""
        return int(position["turn"]) > self.params.rounds

    def default_baseline(self) -> Baseline:
        """Return the one profile that survives strict dominance, or `away` and a warning."""
        return self.payoffs.surviving()

    def rules(self) -> str:
        """Return the story, the number of turns, and the payoffs."""
        times = "once" if self.params.rounds == 1 else f"for {self.params.rounds} turns"
        story = f"**{self.title}**. {self.about}".strip()
        return "\n".join([story, "", *self.payoffs.rules(times)])

    def facts(self) -> dict[str, Any]:
        """Return the agents, actions, payoffs and number of turns."""
        known = {"agents": list(self.agents), "actions": self.actions}
        return {**known, **self.payoffs.facts(), "turns": self.params.rounds}


GAME = MatrixGame
