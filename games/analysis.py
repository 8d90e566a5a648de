"""The analysis of plays: credit for finished records, and outcomes of hypothetical plays.

Everything is computed by a game's `start`, `legal`, `step` and `over`. A game with faster methods
sets `analysed_by` to a subclass of `Analysis`; most games need none.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import exact
from shapley_coop.by_class import ByClass
from shapley_coop.games.ahead import Ahead, BountyAhead
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.goods import gifts_in, with_gifts
from shapley_coop.games.params import GameError
from shapley_coop.games.reference_points import ReferencePoints, best_total
from shapley_coop.games.replay import Conduct, Replays, conduct, step_by_step
from shapley_coop.games.turns import RecordKey, Step, Turn

if TYPE_CHECKING:
    from shapley_coop.games.game import Game


class Analysis:
    """The analysis that works for any game.

    Args:
        game: the game, with the parameters and seed of the play.
    """

    def __init__(self, game: "Game") -> None:
        self.game: Any = game

    def replay(self, record: Sequence[Turn]) -> Iterator[Step]:
        """Play a record again, with its contracts' transfers of goods, and yield the steps."""
        position = self.game.start()
        for turn in record:
            after = self.game.step(with_gifts(position, gifts_in(turn)), turn["actions"])
            yield after
            position = after.position

    def replays(self, record: Sequence[Turn]) -> Replays:
        """Return what every agent earns if only a given coalition repeats its recorded actions.

        The grand coalition earns exactly what the record says. A game that can replay many
        coalitions at once overrides this method or `repeated`.
        """
        return self.repeated(conduct(self.game, record, self.game.baseline))

    def repeated(self, did: Conduct) -> Replays:
        """Return the replays of recorded actions, which may come from a play on other dice."""
        return step_by_step(self.game, did)

    def replays_of(self, record: Sequence[Turn]) -> Replays:
        """Return `replays` of a record; the latest four results are cached."""
        return self._kept_replays(RecordKey(record))

    @cached_property
    def _kept_replays(self) -> Callable[[RecordKey], Replays]:
        return lru_cache(maxsize=4)(lambda record: self.replays(record.turns))

    @property
    def credit_rule(self) -> str:
        """The rule for a coalition's worth: `record`, `potential`, or another rule's name."""
        return str(self.game.params.worth)

    def worth(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """Return v(C), the coalition's worth given a finished record, in the game's unit.

        By default v(C) is W(C) − W(∅): the total of all agents and the pot in the replay in which C
        repeats its actions, less the total if all agents are absent. The totals include absent
        agents' rewards (0 under `away`), so a free-rider's gain is credited to those who cause it.
        """
        if self.game.params.worth == "potential":
            return self.potential(record, coalition)
        row = np.array([[agent in coalition for agent in self.game.agents]])
        return self.replays_of(record).improvement(row)

    def batch_worth(self, record: Sequence[Turn]) -> Callable[[NDArray[Any]], NDArray[np.float64]]:
        """Return a function from an array of coalitions (rows of booleans) to their worths.

        Samplers use this function for games with many agents.
        """
        if self.credit_rule == "record":
            return self.replays_of(record).improvements

        def worths(members: NDArray[Any]) -> NDArray[np.float64]:
            coalitions = (frozenset(compress(self.game.agents, row)) for row in members)
            return np.array([float(self.worth(record, one)) for one in coalitions])

        return worths

    def classes_of(self, record: Sequence[Turn]) -> tuple[ByClass, ...] | None:
        """Return `worth` as a sum of functions of the classes' member counts; None if unknown."""
        return None

    @property
    def has_potential(self) -> bool:
        """Whether the game computes what a coalition can secure by the rules alone."""
        return type(self).potential is not Analysis.potential

    def potential(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """Return the amount that a coalition can secure by the rules in the turns played.

        Raises:
            GameError: the game does not compute this amount.
        """
        name = self.game.name
        raise GameError(f"{name} does not define what a coalition can secure: use worth=record")

    def dominance_solution(self) -> Baseline | None:
        """Return the profile that survives iterated strict dominance by pure actions.

        Return None if several profiles survive, or if the game does not compute dominance.
        """
        return None

    @property
    def reference_points(self) -> ReferencePoints:
        """The points that outcomes are compared with; the best total is found by enumeration."""
        return ReferencePoints(partial(best_total, self.game))

    @property
    def ahead(self) -> Ahead:
        """The simulator of remaining turns; games that simulate many plays at once override it."""
        return Ahead(self.game)


class BountyAnalysis(Analysis):
    """The analysis of a game in which a bounty is the only payoff."""

    @property
    def ahead(self) -> Ahead:
        """The simulator, which knows the bounty as a bound but cannot predict the agents' work."""
        return BountyAhead(self.game, exact(self.game.params.bounty))
