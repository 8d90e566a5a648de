"""Exchanges of tasks in thought."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shapley_coop.games.ahead import PrivateWorths
from shapley_coop.games.exchange.market import WAIT

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
