"""What a game is, for who writes one: start, legal, step, over, and how it is told."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from pydantic import ValidationError

from shapley_coop.games.actions import told_actions
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.baseline import ALL_IDLE, Baseline, read_baseline
from shapley_coop.games.marks import Marks
from shapley_coop.games.params import GameError, Params, one_line
from shapley_coop.games.turns import Position, Step


class Game(Marks, ABC):
    """A finite game for two or more agents who act at the same time.

    Every method is pure: the position passed in is never changed, and randomness comes from
    `games.dice`, keyed by (seed, turn, agent), so that any coalition can be replayed on the same
    dice.

    All that there is to write stands here: `name`, `Params`, `actions`, `start`, `legal`, `step`,
    `over`, `rules` and `facts`; where not all is public, `view` and `private`; and where an absent
    agent does not stand idle, `default_baseline`, on which every value depends. What is rarer
    stands in `Marks`, with its default.
    """

    name: ClassVar[str]
    """How the game is called on the command line; the name of its file."""

    Params: ClassVar[type[Params]] = Params

    analysed_by: ClassVar[type[Analysis]] = Analysis
    """Answers what is asked of plays; another where the game knows better than by playing on."""

    actions: Mapping[str, Sequence[str]]
    """Agent → every action it may ever take: what a deal can speak of."""

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
        """What `agent` sees of the position: JSON facts for its letter. All of it by default."""
        return dict(position)

    def private(self, agent: str) -> dict[str, Any]:
        """What the game tells `agent` alone: for that agent's own letters, and nowhere else."""
        return {}

    @abstractmethod
    def legal(self, position: Position, agent: str) -> Sequence[str]:
        """The actions `agent` may take now; empty when it has nothing to do this turn."""

    @abstractmethod
    def step(self, position: Position, actions: Mapping[str, str]) -> Step:
        """Return the joint action's consequence.

        Args:
            position: where the game stands.
            actions: agent → action, one for each agent that chose; an agent that is missing
                idles, which each game defines.

        Raises:
            GameError: an action is not legal for its agent.
        """

    @abstractmethod
    def over(self, position: Position) -> bool:
        """Return whether the play has ended."""

    @cached_property
    def baseline(self) -> Baseline:
        """What an agent would have done had it taken no part, as run or game declare it."""
        return read_baseline(self, self.params.absent) or self.default_baseline()

    def default_baseline(self) -> Baseline:
        """Return the baseline where nothing declares one."""
        return ALL_IDLE

    @cached_property
    def analysis(self) -> Analysis:
        """What is asked of records, and of plays that did not happen."""
        return self.analysed_by(self)

    @abstractmethod
    def rules(self) -> str:
        """Return the rules in Markdown: static, the same for every agent and turn."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return the rules as JSON facts, so that a program can play from the letter alone."""

    def objection(self, position: Position, agent: str, action: str) -> str:
        """Return what is wrong with an action that an agent wrote; empty when it can be taken."""
        legal = self.legal(position, agent)
        if action in legal:
            return ""
        return f"You cannot do that now: legal are {', '.join(told_actions(legal))}."

    def check(self, position: Position, actions: Mapping[str, str]) -> None:
        """Refuse actions that are not legal.

        Raises:
            GameError: names the agent, the action and what would be legal.
        """
        for agent, action in actions.items():
            if agent not in self.agents:
                raise GameError(f"{agent!r} does not play {self.name}: {', '.join(self.agents)} do")
            if action not in (legal := self.legal(position, agent)):
                able = ", ".join(told_actions(legal))
                raise GameError(f"{agent} cannot {action!r} in {self.name} now: legal are {able}")


def opening_view(game: Game) -> dict[str, Any]:
    """Return what the first agent sees before the first turn."""
    return game.view(game.start(), game.agents[0])
