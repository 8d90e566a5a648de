"""What is asked of an exchange of tasks: what is best, what was traded, and what would be."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from shapley_coop.amounts import MICRO
from shapley_coop.games.ahead import PrivateWorths
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.exchange.conduct import recorded_trade
from shapley_coop.games.exchange.market import WAIT
from shapley_coop.games.exchange.solutions import ExchangePoints, best_among
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.games.replay import Replays
from shapley_coop.games.turns import Turn, realised_total

if TYPE_CHECKING:
    from shapley_coop.games.task_exchange import TaskExchange


class ExchangeAhead(PrivateWorths):
    """Whoever owes nothing does its own tasks; who owes something later waits for it."""

    game: "TaskExchange"

    @property
    def words(self) -> str:
        """What agents are taken to do."""
        return "who is asked for nothing does its own tasks"

    @property
    def unasked_words(self) -> str:
        """The same."""
        return "its own tasks"

    def most(self) -> dict[str, Fraction]:
        """Utilities are parts of each agent's own highest."""
        return dict.fromkeys(self.game.agents, Fraction(1))

    def unasked(self, position: dict[str, Any], agent: str, waiting: bool) -> str:
        """Return the next own task."""
        if waiting and not position["closed"]:
            return WAIT
        legal = self.game.legal(position, agent)
        return next((act for act in legal if act in self.game.tasks.names), WAIT)


class ExchangeAnalysis(Analysis):
    """By what was handed over, and by the best partition of the tasks."""

    game: "TaskExchange"

    def __init__(self, game: "TaskExchange") -> None:
        super().__init__(game)
        self._worths = lru_cache(maxsize=1 << 12)(self._tradable)

    def replays(self, record: Sequence[Turn]) -> Replays:
        """An atom moves if all agents in its recorded chain are members; then all do their tasks.

        What was not done in the record is done in no replay, and a play that was stopped before it
        paid pays in none.
        """
        return recorded_trade(self.game, record)

    @property
    def ahead(self) -> ExchangeAhead:
        """Return plays in which who is asked for nothing does its own tasks."""
        return ExchangeAhead(self.game)

    def potential(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """v(C): the best that C's members can do by trading their initial tasks among themselves.

        v(N) is the realised total; where nothing was played, every v(C) is 0. Cost: 3^m for m
        tasks and three or more members; kept.
        """
        if not record:
            return Fraction(0)
        if coalition == frozenset(self.game.agents):
            return realised_total(record)
        return Fraction(self._worths(coalition), MICRO)

    @property
    def reference_points(self) -> ReferencePoints:
        """The front of all partitions; a plan is worth the tasks that each agent does in it."""
        return ExchangePoints(self.game.scenario)

    def _tradable(self, coalition: frozenset[str]) -> int:
        own = [agent for agent in self.game.agents if agent in coalition]
        if not own:
            return 0
        return best_among(self.game.scenario, own)
