"""The base class of games: positions, legal actions, steps, the end, and texts for letters."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from pydantic import ValidationError

from shapley_coop.games.actions import told_actions
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.baseline import ALL_IDLE, Baseline, read_baseline
from shapley_coop.games.foresight import Foresight
from shapley_coop.games.marks import Marks
from shapley_coop.games.params import GameError, Params, one_line
from shapley_coop.games.turns import Position, Step


class Game(Marks, ABC):
    """A finite game for two or more agents who act at the same time.

    Every method is pure: the position passed in is never changed, and randomness comes from
    `games.dice`, keyed by (seed, turn, agent), so that any coalition can be replayed on the same
    dice.

    A game must define `name`, `actions`, `start`, `legal`, `step`, `over`, `rules` and `facts`, and
    `Params` if it has parameters. It overrides `view` and `private` if not all is public, and
    `default_baseline` if absent agents do not idle: every coalition value depends on the baseline.
    Rarer attributes are in `Marks`, with defaults.
    """

    name: ClassVar[str]
    """The game's name on the command line; also the name of its file here, or in its extension."""

    Params: ClassVar[type[Params]] = Params

    analysed_by: ClassVar[type[Analysis]] = Analysis
    """The class that analyses plays; a game with a better method names a subclass."""

    foresight: ClassVar[type[Foresight] | None] = None
    """The class by which embedded agents predict a game whose `facts` give `name` as `game`."""

    actions: Mapping[str, Sequence[str]]
    """Agent → every action that it may ever take. Deals can name only these actions."""

    def __init__(self, params: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        try:
            self.params = self.Params.model_validate(dict(params or {}))
        except ValidationError as error:
            raise GameError(one_line(self.called(params or {}), self.Params, error)) from None
        self.agents: tuple[str, ...] = tuple(self.params.agents)
        self.seed = seed

    @property
    def turns(self) -> int:
        """The most turns a play can take."""
        return self.params.rounds

    @abstractmethod
    def start(self) -> Position:
        """Return the position before the first turn."""

    def view(self, position: Position, agent: str) -> dict[str, Any]:
        """Return what `agent` may see of the position, as JSON facts; by default everything.

        If a game overrides `view` or `private`, payoffs under offers are not simulated, unless its
        simulator says what is `foreseeable` (`games.ahead`).
        """
        return dict(position)

    def private(self, agent: str) -> dict[str, Any]:
        """Return the private facts of `agent`, which appear in its own letters and nowhere else."""
        return {}

    @abstractmethod
    def legal(self, position: Position, agent: str) -> Sequence[str]:
        """Return the actions that `agent` may take now; empty if it cannot act this turn."""

    @abstractmethod
    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Return the position and the rewards that a joint action leads to.

        Args:
            position: the current position.
            actions: agent → action. An agent without an entry idles, and each game defines the
                effect of idling.

        Raises:
            GameError: an action is not legal for its agent.
        """

    @abstractmethod
    def over(self, position: Position) -> bool:
        """Return whether the play has ended at this position."""

    @cached_property
    def baseline(self) -> Baseline:
        """The baseline of absent agents: the one that the run declares, or the game's own."""
        return read_baseline(self, self.params.absent) or self.default_baseline()

    def default_baseline(self) -> Baseline:
        """Return the game's own baseline, for runs that declare none."""
        return ALL_IDLE

    @cached_property
    def analysis(self) -> Analysis:
        """The analysis of this game's records and of hypothetical plays."""
        return self.analysed_by(self)

    @abstractmethod
    def rules(self) -> str:
        """Return the rules in Markdown: static, the same for every agent and turn."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return the rules as JSON facts, so that a program can play from the letter alone."""

    def objection(self, position: Position, agent: str, action: str) -> str:
        """Return why an agent cannot take the action that it wrote, or "" if it can."""
        legal = self.legal(position, agent)
        if action in legal:
            return ""
        known = self.action_label(action) in self.actions.get(agent, ())
        why = "You cannot do that now: legal are" if known else "Choose one of:"
        return f"{why} {', '.join(told_actions(legal))}."

    def check(self, position: Position, actions: Mapping[str, str]) -> None:
        """Check that all actions are legal.

        Raises:
            GameError: an action is illegal; the error names the agent and its legal actions.
        """
        for agent, action in actions.items():
            if agent not in self.agents:
                raise GameError(
                    f"{agent!r} does not play {self.name}, but {', '.join(self.agents)} do"
                )
            if action not in (legal := self.legal(position, agent)):
                able = ", ".join(told_actions(legal))
                raise GameError(f"{agent} cannot {action!r} in {self.name} now, only {able}")


def opening_view(game: Game) -> dict[str, Any]:
    """Return the first agent's view of the start position."""
    return game.view(game.start(), game.agents[0])
