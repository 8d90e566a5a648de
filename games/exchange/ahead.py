"""Trades in thought: what changes hands is public, and what it is worth is each agent's own."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shapley_coop.games.ahead import Ahead
from shapley_coop.games.exchange.foresight import WAIT

if TYPE_CHECKING:
    from shapley_coop.games.task_exchange import TaskExchange


class TradeAhead(Ahead):
    """Whoever owes nothing does its own tasks; who owes something later waits for it."""

    game: "TaskExchange"

    @property
    def open(self) -> bool:
        """To each agent with its own payoffs alone."""
        return False

    @property
    def own_payoffs_only(self) -> bool:
        """Who holds what is public, what it is worth is not."""
        return True

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
        """The next own task."""
        if waiting and not position["closed"]:
            return WAIT
        legal = self.game.legal(position, agent)
        return next((act for act in legal if act in self.game.tasks.names), WAIT)
