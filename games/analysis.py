"""What is asked of a finished record, and of plays that did not happen: credit, and what is best.

All of it follows from a game's own `start`, `legal`, `step` and `over`. A game that knows better
names a subclass as `analysed_by`; who writes a game need not know that there is one.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import exact
from shapley_coop.games.ahead import Ahead, BountyAhead
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.classes import ByClass
from shapley_coop.games.goods import gifts_in, with_gifts
from shapley_coop.games.params import GameError
from shapley_coop.games.reference_points import ReferencePoints, best_total
from shapley_coop.games.replay import Conduct, Replays, conduct, step_by_step
from shapley_coop.games.turns import RecordKey, Step, Turn

if TYPE_CHECKING:
    from shapley_coop.games.game import Game


class Analysis:
    """The answers for any game.

    Args:
        game: the game as it is played.
    """

    def __init__(self, game: "Game") -> None:
        self.game: Any = game

    def replay(self, record: Sequence[Turn]) -> Iterator[Step]:
        """Play a record again, step by step, with what changed hands by a contract."""
        position = self.game.start()
        for turn in record:
            after = self.game.step(with_gifts(position, gifts_in(turn)), turn["actions"])
            yield after
            position = after.position

    def replays(self, record: Sequence[Turn]) -> Replays:
        """What every agent earns where a coalition repeats its conduct and the others do not.

        Of everybody together it is exactly what the record says. A game that can replay many
        coalitions at once overrides this or `repeated`.
        """
        return self.repeated(conduct(self.game, record, self.game.baseline))

    def repeated(self, did: Conduct) -> Replays:
        """The same for a conduct that may have been recorded on other dice than this game's."""
        return step_by_step(self.game, did)

    def replays_of(self, record: Sequence[Turn]) -> Replays:
        """The same; the latest are kept."""
        return self._kept_replays(RecordKey(record))

    @cached_property
    def _kept_replays(self) -> Callable[[RecordKey], Replays]:
        return lru_cache(maxsize=4)(lambda record: self.replays(record.turns))

    @property
    def credit_rule(self) -> str:
        """By what a coalition's worth is computed: `record`, or another rule's name."""
        return str(self.game.params.worth)

    def worth(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """v(C): what `coalition` is worth in the light of a finished record, in the game's unit.

        By default W(C) − W(∅): what all agents and the pot earn in the replay in which C repeats
        its conduct, less what they earn if nobody does. Everybody's rewards count, so that what a
        free-rider gains by others is no contribution of its own.
        """
        if self.game.params.worth == "potential":
            return self.potential(record, coalition)
        row = np.array([[agent in coalition for agent in self.game.agents]])
        return self.replays_of(record).improvement(row)

    def batch_worth(self, record: Sequence[Turn]) -> Callable[[NDArray[Any]], NDArray[np.float64]]:
        """`worth` of many coalitions at once: boolean, shape (m, n), to shape (m,).

        What a sampler asks of a game with many agents.
        """
        if self.credit_rule == "record":
            return self.replays_of(record).improvements

        def worths(members: NDArray[Any]) -> NDArray[np.float64]:
            coalitions = (frozenset(compress(self.game.agents, row)) for row in members)
            return np.array([float(self.worth(record, one)) for one in coalitions])

        return worths

    def classes_of(self, record: Sequence[Turn]) -> tuple[ByClass, ...] | None:
        """Games by classes of equals that `worth` is the sum of; None where they are not known."""
        return None

    @property
    def has_potential(self) -> bool:
        """Whether the game says what a coalition can secure by the rules alone."""
        return type(self).potential is not Analysis.potential

    def potential(self, record: Sequence[Turn], coalition: frozenset[str]) -> Fraction:
        """Return what a coalition can secure by the rules alone, in as many turns as were played.

        Raises:
            GameError: nothing computes it for this game.
        """
        name = self.game.name
        raise GameError(f"{name} does not say what a coalition can secure: use worth=record")

    def dominance_solution(self) -> Baseline | None:
        """Return the profile that is left by iterated strict dominance by pure actions.

        None where several are left, or nothing computes it.
        """
        return None

    @property
    def reference_points(self) -> ReferencePoints:
        """What outcomes are compared with: the best total, found by enumeration in a small game."""
        return ReferencePoints(partial(best_total, self.game))

    @property
    def ahead(self) -> Ahead:
        """Plays of the turns left in thought; a game that can play many at once overrides it."""
        return Ahead(self.game)


class BountyAnalysis(Analysis):
    """Of a game in which a bounty is all that there is to earn."""

    @property
    def ahead(self) -> Ahead:
        """What is done cannot be pictured; the bounty is known."""
        return BountyAhead(self.game, exact(self.game.params.bounty))
