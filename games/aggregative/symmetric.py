"""Symmetric games by a formula: a table of payoffs for few agents, counts for many.

All agents have the same actions, and the k-th adds k to a sum; what an agent gets depends on its
own action and on the sum of the others'. A game of this kind states two lines, its actions and what
each of them pays, and is played by two agents or by a thousand.
"""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import product

from shapley_coop.games.aggregative.counts import Counts, Piece
from shapley_coop.games.aggregative.payoffs import CountedPayoffs
from shapley_coop.games.matrix import MAX_PAYOFF, MatrixGame, MatrixParams, check_names
from shapley_coop.games.params import GameError
from shapley_coop.games.table import PayoffTable

MOST_PRINTED = 200
"""Actions and payoffs in a table, up to which letters print it; beyond, the formula."""

Formula = dict[str, Sequence[Piece]]
"""Action → what it pays, piece by piece, in terms of the sum of the others."""


def is_printed(actions: int, agents: int) -> bool:
    """Whether the table is short enough: a row for each joint action, two entries for each agent.

    >>> is_printed(actions=2, agents=4), is_printed(actions=2, agents=5)
    (True, False)
    """
    entries: int = 2 * agents * actions**agents
    return entries <= MOST_PRINTED


class SymmetricGame(MatrixGame):
    """A game whose payoffs follow from an agent's own action and one sum over the others."""

    title: str
    symmetric = True

    @abstractmethod
    def formula(self) -> Formula:
        """What each action pays; the k-th action adds k to the sum."""

    @abstractmethod
    def story(self) -> str:
        """A sentence or two for letters."""

    def build(self) -> PayoffTable | CountedPayoffs:
        """Few joint actions as a table; more of them by counts.

        Raises:
            GameError: an action's name is none, or a payoff is too large.
        """
        formula = self.formula()
        if is_printed(len(formula), len(self.agents)):
            return super().build()
        self.actions = {agent: list(formula) for agent in self.agents}
        self.about = self.story()
        try:
            check_names(self.agents[0], list(formula))
            counts = Counts(list(formula), len(self.agents), formula)
            if counts.extreme * self.params.rounds > MAX_PAYOFF:
                raise ValueError(f"pay at most {MAX_PAYOFF} each over all rounds")
            return CountedPayoffs(self.agents, counts)
        except ValueError as error:
            raise GameError(f"{self.name}: {error}") from None

    def table(self) -> MatrixParams:
        """Every joint action."""
        formula = self.formula()
        counts = Counts(list(formula), len(self.agents), formula)
        plays = product(formula, repeat=len(self.agents))
        return MatrixParams(
            name=self.title,
            about=self.story(),
            agents=list(self.agents),
            rounds=self.params.rounds,
            actions={agent: list(formula) for agent in self.agents},
            payoffs=[{"play": list(play), "pays": _pays(counts, play)} for play in plays],
        )


def _pays(counts: Counts, play: Sequence[str]) -> list[int | float]:
    total = sum(counts.code[action] for action in play)
    return [counts.pay(action, total - counts.code[action]) for action in play]
