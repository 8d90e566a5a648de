"""The analysis of games with a table of payoffs, by lookup in the table."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from shapley_coop.by_class import ByClass
from shapley_coop.games.ahead import Ahead
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.games.replay import Replays
from shapley_coop.games.turns import Position, Turn, realised_total

if TYPE_CHECKING:
    from shapley_coop.games.matrix import MatrixGame


class MatrixAhead(Ahead):
    """The simulator for a table of payoffs, which has no dice."""

    game: "MatrixGame"

    @property
    def words(self) -> str:
        """The assumed conduct of agents without a duty, in words."""
        if self.game.payoffs.unasked is None:
            return super().words
        return (
            "who is asked for nothing does what pays it best in a turn if the others are equally "
            "likely to do anything"
        )

    @property
    def unasked_words(self) -> str:
        """The assumed conduct of an agent without a duty, in a few words."""
        known = self.game.payoffs.unasked is not None
        return "what pays best at once" if known else super().unasked_words

    def most(self) -> dict[str, Fraction]:
        """Return agent → its best payoff in one turn, times the number of turns."""
        most, turns = self.game.payoffs.most, self.game.turns
        return {agent: turns * most(agent) for agent in self.game.agents}

    def together(self) -> Fraction:
        """Return the best total of one turn, times the number of turns."""
        return self.game.turns * self.game.payoffs.best_total

    def unasked(self, position: Position, agent: str, waiting: bool) -> str | None:
        """Return the agent's action without a duty, which is the same at every turn."""
        if self.game.payoffs.unasked is None:
            return super().unasked(position, agent, waiting)
        return self.game.payoffs.unasked[agent]


class MatrixAnalysis(Analysis):
    """The analysis of a table, which can replay many coalitions at once."""

    game: "MatrixGame"

    def dominance_solution(self) -> Baseline | None:
        """Return the profile that survives iterated strict dominance; None if several survive."""
        found = self.game.payoffs.surviving()
        return found if found.kind == "actions" else None

    def replays(self, record: Sequence[Turn]) -> Replays:
        """Return replays of many coalitions at once, each with as many turns as the record."""
        return self.game.payoffs.replays(self.game, record) or super().replays(record)

    def potential(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """Return v(C): the realised total for N, 0 for ∅, and otherwise the α-value of C.

        The α-value is the maximum over the members' joint actions of the minimum over the others'
        of the members' total, times the turns played (von Neumann and Morgenstern, 1944). It is not
        the potential of Hart and Mas-Colell (1989).
        """
        if coalition == frozenset(self.game.agents):
            return realised_total(record)
        if not coalition:
            return Fraction(0)
        return len(record) * self.game.payoffs.secure(coalition)

    def classes_of(self, record: Sequence[Turn]) -> tuple[ByClass, ...] | None:
        """Return `worth` by the classes' member counts if a formula gives it; None for a table."""
        return self.game.payoffs.classes(record)

    @property
    def reference_points(self) -> ReferencePoints:
        """The best total of one turn, times the number of turns."""
        return ReferencePoints(lambda: float(self.game.turns * self.game.payoffs.best_total))

    @property
    def ahead(self) -> Ahead:
        """The simulator in which agents without a duty take the action that pays them best."""
        return MatrixAhead(self.game)
