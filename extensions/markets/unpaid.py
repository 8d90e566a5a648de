"""The reference points of a market in which nobody can pay: goods alone change hands.

Agents' worths add up over goods, so the efficient outcomes are found good by good: a sum of payoffs
is efficient only if each part is. Outcomes are all divisions of all goods, however many turns of
giving by hand they take, and the refusal of a pool.

>>> from shapley_coop.extensions.markets.drawn import drawn
>>> market = drawn("issues", ["Ann", "Ben"], seed=3)
>>> [tuple(map(int, point)) for point in efficient(market)]
[(10, 4), (5, 7), (0, 10)]
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import comb, prod

from shapley_coop.extensions.markets.market import Market, worth_of
from shapley_coop.games.reference_points import Point, ReferencePoints, gains_of

MOST_OUTCOMES = 200_000
"""The most outcomes that are compared at once; with more, the efficient ones are unknown."""

MOST_OF_MANY = 4_000
"""The same for more than two agents, whose outcomes are compared one by one."""

Payoffs = tuple[Fraction, ...]


class UnpaidPoints(ReferencePoints):
    """The reference points of a market without payments."""

    payments = False

    def __init__(self, market: Market, paid: ReferencePoints) -> None:
        super().__init__(lambda: paid.best)
        self._market = market

    @cached_property
    def _outcomes(self) -> list[Payoffs]:
        return efficient(self._market)

    @cached_property
    def efficient(self) -> Sequence[Point]:
        """All efficient outcomes; empty if there are too many outcomes to compare."""
        return [tuple(map(float, point)) for point in self._outcomes]

    @cached_property
    def nash(self) -> Point | None:
        """The outcome with the largest product of gains; None if there are too many outcomes."""
        found = nash(self._outcomes, alone(self._market))
        return None if found is None else tuple(map(float, found))

    @cached_property
    def disagreement(self) -> Mapping[str, float]:
        """Agent → its payoff if no deal is made."""
        return dict(zip(self._market.agents, map(float, alone(self._market)), strict=True))


def alone(market: Market) -> Payoffs:
    """Return each agent's payoff if no deal is made."""
    return tuple(market.alone(agent) for agent in market.agents)


def efficient(market: Market) -> list[Payoffs]:
    """Return the payoffs of all outcomes that no other outcome improves without a loss for anybody.

    The list is empty if there are too many outcomes.
    """
    agents = market.agents
    most = MOST_OUTCOMES if len(agents) == 2 else MOST_OF_MANY
    points: list[Payoffs] = [(Fraction(0),) * len(agents)]
    for good in market.goods:
        if comb(market.totals[good] + len(agents) - 1, len(agents) - 1) > most:
            return []
        parts = undominated(_divisions(market, good))
        if len(points) * len(parts) > most:
            return []
        points = undominated(
            tuple(a + b for a, b in zip(point, part, strict=True))
            for point, part in product(points, parts)
        )
    if market.pool:
        points = undominated([*points, alone(market)])
    return points


def nash(points: Iterable[Payoffs], without: Payoffs) -> Payoffs | None:
    """Return the outcome with the largest product of gains; None if none leaves all as well off.

    Ties go to the larger sum, then to the first agent.
    """
    fair = [point for point in points if min(gains_of(point, without)) >= 0]
    if not fair:
        return None
    return max(fair, key=lambda point: (prod(gains_of(point, without)), sum(point), point))


def undominated(points: Iterable[Payoffs]) -> list[Payoffs]:
    """Return the payoffs that no other payoffs dominate, the best for the first agent first.

    >>> undominated([(1, 5), (2, 4), (2, 3), (0, 5), (2, 4)])
    [(2, 4), (1, 5)]
    """
    kept: list[Payoffs] = []
    for point in sorted(set(points), reverse=True):  # a later point dominates no earlier one
        if len(point) == 2:
            if not kept or point[1] > kept[-1][1]:
                kept.append(point)
        elif not any(all(a >= b for a, b in zip(one, point, strict=True)) for one in kept):
            kept.append(point)
    return kept


def _divisions(market: Market, good: str) -> Iterator[Payoffs]:
    """Yield the agents' worths of each division of a good's units."""
    worths = [
        [worth_of(market.worths[agent].get(good, 0), n) for n in range(market.totals[good] + 1)]
        for agent in market.agents
    ]

    def divide(left: int, at: int) -> Iterator[Payoffs]:
        if at == len(worths) - 1:
            yield (worths[at][left],)
            return
        for own in range(left + 1):
            for rest in divide(left - own, at + 1):
                yield (worths[at][own], *rest)

    return divide(market.totals[good], 0)
