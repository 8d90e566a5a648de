"""What is asked of plays of a table of payoffs: answered by looking things up in it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from shapley_coop.games.ahead import Ahead
from shapley_coop.games.analysis import Analysis
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.classes import ByClass
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.games.replay import Replays
from shapley_coop.games.turns import Position, Turn, realised_total

if TYPE_CHECKING:
    from shapley_coop.games.matrix import MatrixGame


class MatrixAhead(Ahead):
    """Plays of a table of payoffs: nothing in it depends on dice."""

    game: "MatrixGame"

    @property
    def words(self) -> str:
        """What agents are taken to do."""
        if self.game.payoffs.unasked is None:
            return super().words
        return (
            "who is asked for nothing does what pays it best in a turn if the others are equally "
            "likely to do anything"
        )

    @property
    def unasked_words(self) -> str:
        """The same, shorter."""
        known = self.game.payoffs.unasked is not None
        return "what pays best at once" if known else super().unasked_words

    def most(self) -> dict[str, Fraction]:
        """Return the best that can happen to it, every turn."""
        most, turns = self.game.payoffs.most, self.game.turns
        return {agent: turns * most(agent) for agent in self.game.agents}

    def together(self) -> Fraction:
        """Return what is best for all together, every turn."""
        return self.game.turns * self.game.payoffs.best_total

    def unasked(self, position: Position, agent: str, waiting: bool) -> str | None:
        """Return the same at every turn."""
        if self.game.payoffs.unasked is None:
            return super().unasked(position, agent, waiting)
        return self.game.payoffs.unasked[agent]


class MatrixAnalysis(Analysis):
    """Replays of many coalitions at once, and what strict dominance and security levels say."""

    game: "MatrixGame"

    def dominance_solution(self) -> Baseline | None:
        """Return the profile that is left by iterated strict dominance; None of several."""
        found = self.game.payoffs.surviving()
        return found if found.kind == "actions" else None

    def replays(self, record: Sequence[Turn]) -> Replays:
        """Many coalitions at once; every replay has as many turns as the record."""
        return self.game.payoffs.replays(self.game, record) or super().replays(record)

    def potential(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """v(N) is the realised total; a smaller coalition has its α-value, v(∅) = 0.

        α-characteristic function: max over the members' joint actions of min over the others' of
        the members' total, times the turns played (von Neumann and Morgenstern, 1944).
        """
        if coalition == frozenset(self.game.agents):
            return realised_total(record)
        if not coalition:
            return Fraction(0)
        return len(record) * self.game.payoffs.secure(coalition)

    def classes_of(self, record: Sequence[Turn]) -> tuple[ByClass, ...] | None:
        """As the payoffs know them."""
        return self.game.payoffs.classes(record)

    @property
    def reference_points(self) -> ReferencePoints:
        """Turns times the best total of one turn."""
        return ReferencePoints(lambda: float(self.game.turns * self.game.payoffs.best_total))

    @property
    def ahead(self) -> Ahead:
        """Return plays in which who is asked for nothing does what pays it best."""
        return MatrixAhead(self.game)
