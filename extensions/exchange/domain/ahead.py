"""The analysis of an exchange of tasks: the best partitions, recorded trades, and simulations."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from shapley_coop.amounts import MICRO
from shapley_coop.extensions.exchange.domain.conduct import recorded_trade
from shapley_coop.extensions.exchange.domain.market import WAIT
from shapley_coop.extensions.exchange.domain.solutions import ExchangePoints, best_among
from shapley_coop.games.ahead import Ahead
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.games.replay import Replays
from shapley_coop.games.turns import Turn, realised_total

if TYPE_CHECKING:
    from shapley_coop.extensions.exchange.game import TaskExchange


class ExchangeAhead(Ahead):
    """The simulator: an agent without a duty does its tasks, or waits for a later duty."""

    game: "TaskExchange"
    foreseeable = "own"  # holdings are public, valuations are private
    idle_words = "doing the tasks later than asked"

    @property
    def words(self) -> str:
        """The assumed conduct of agents without a duty, in words."""
        return "who is asked for nothing does its own tasks"

    @property
    def unasked_words(self) -> str:
        """The assumed conduct of an agent without a duty, in a few words."""
        return "its own tasks"

    def most(self) -> dict[str, Fraction]:
        """Return 1 for each agent: utilities are fractions of the agent's own maximum."""
        return dict.fromkeys(self.game.agents, Fraction(1))

    def unasked(self, position: dict[str, Any], agent: str, waiting: bool) -> str:
        """Return the agent's next task, or WAIT if it has a later duty or no task left."""
        if waiting and not position["closed"]:
            return WAIT
        legal = self.game.legal(position, agent)
        return next((act for act in legal if act in self.game.tasks.names), WAIT)


class ExchangeAnalysis(Analysis):
    """The analysis of exchanges, by recorded hand-overs and by the best partition of tasks."""

    game: "TaskExchange"

    def __init__(self, game: "TaskExchange") -> None:
        super().__init__(game)
        self._worths = lru_cache(maxsize=1 << 12)(self._tradable)

    def replays(self, record: Sequence[Turn]) -> Replays:
        """Return replays in which a task moves only if all its recorded holders are members.

        After all moves, agents do their tasks. A task that was not done in the record is done in no
        replay, and a play that was stopped before payment pays nothing in any replay.
        """
        return recorded_trade(self.game, record)

    @property
    def ahead(self) -> ExchangeAhead:
        """The simulator in which agents without a duty do their own tasks."""
        return ExchangeAhead(self.game)

    def potential(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """Return v(C): the highest total that C's members reach by trading their initial tasks.

        v(N) is the realised total. If nothing was played, every v(C) is 0. Cost: 3^m for m tasks
        and three or more members; results are cached.
        """
        if not record:
            return Fraction(0)
        if coalition == frozenset(self.game.agents):
            return realised_total(record)
        return Fraction(self._worths(coalition), MICRO)

    @property
    def reference_points(self) -> ReferencePoints:
        """The front of all partitions; a plan is valued by the tasks that each agent does."""
        return ExchangePoints(self.game.scenario)

    def _tradable(self, coalition: frozenset[str]) -> int:
        own = [agent for agent in self.game.agents if agent in coalition]
        if not own:
            return 0
        return best_among(self.game.scenario, own)
