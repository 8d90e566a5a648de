"""The analysis of an exchange of tasks: the best partitions, recorded trades, and simulations."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from shapley_coop.amounts import MICRO
from shapley_coop.extensions.exchange.domain.conduct import recorded_trade
from shapley_coop.extensions.exchange.domain.market import WAIT
from shapley_coop.extensions.exchange.domain.masks import from_bits
from shapley_coop.extensions.exchange.domain.solutions import ExchangePoints, best_among
from shapley_coop.games.ahead import Ahead
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.games.replay import Replays
from shapley_coop.games.turns import Turn, realised_total

if TYPE_CHECKING:
    from shapley_coop.extensions.exchange.game import TaskExchange
    from shapley_coop.games.foresight import Owed
    from shapley_coop.games.turns import Position


_BEST = "\0best"
"""The breach of an agent that hands over what it owes, and does only the tasks that pay it most."""

_BEST_OF_OWN = "\0best of own"
"""The breach of an agent that hands nothing over, and does only the tasks that pay it most."""


class ExchangeAhead(Ahead):
    """The simulator: an agent without a duty does its tasks, or waits for a later duty."""

    game: "TaskExchange"
    foreseeable = "own"  # who holds which task is public, valuations are private
    ways = (_BEST, _BEST_OF_OWN)

    @property
    def words(self) -> str:
        """The assumed conduct of agents without a duty, in words."""
        return "who is asked for nothing does its own tasks"

    @property
    def unasked_words(self) -> str:
        """The assumed conduct of an agent without a duty, in a few words."""
        return "its own tasks"

    def most(self) -> dict[str, Fraction]:
        """Return 1 as each agent's bound: utilities are fractions of the agent's own maximum."""
        return dict.fromkeys(self.game.agents, Fraction(1))

    def unasked(self, position: dict[str, Any], agent: str, waiting: bool) -> str:
        """Return the agent's next task, or WAIT if it has a later duty or no task left."""
        if waiting and not position["closed"]:
            return WAIT
        legal = self.game.legal(position, agent)
        return next((act for act in legal if act in self.game.tasks.names), WAIT)

    def break_by(
        self, way: str, position: "Position", agent: str, owed: "Sequence[Owed]"
    ) -> str | None:
        """Return the next action of an agent that does only the tasks that pay it most."""
        game, tasks, legal = self.game, self.game.tasks, self.game.legal(position, agent)
        held, done = (from_bits(x, tasks.n) for x in (position["holds"][agent], position["done"]))
        best = game.scenario.best_part(agent, held, held & done)
        pays = [act for act in legal if tasks.named([act]) & best]
        due = [duty.action for duty in owed if duty.agent == agent and not duty.forbidden]
        if way == _BEST and due:
            kept = [act for act in due if act in pays or (act in legal and game.handed(act))]
            return next(iter(kept), WAIT)
        return next(iter(pays), WAIT) if position["closed"] else WAIT

    def broken_by(self, agent: str, record: Sequence[Turn], played: int) -> str:
        """Return the only tasks that an agent did in simulated turns, in words."""
        *_, last = self.game.analysis.replay(record)
        if not self.game.undone(last.position, agent):
            return "doing the tasks later than asked"
        acts = [turn["actions"].get(agent, WAIT) for turn in record[played:]]
        did = ", ".join(act for act in acts if act in self.game.tasks.names)
        return f"doing only {did}" if did else "doing nothing"


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
        """The Pareto front of all partitions; a plan is valued by the tasks that agents do."""
        return ExchangePoints(self.game.scenario)

    def _tradable(self, coalition: frozenset[str]) -> int:
        own = [agent for agent in self.game.agents if agent in coalition]
        if not own:
            return 0
        return best_among(self.game.scenario, own)
