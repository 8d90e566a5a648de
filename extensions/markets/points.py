"""The reference points of a market: the largest welfare, and each agent's payoff without a deal.

With payments the Nash and the Kalai–Smorodinsky solution are equal: each agent gets its payoff
without a deal plus an equal part of the gain by the best allocation.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from heapq import nlargest
from itertools import chain, islice, pairwise, repeat

from shapley_coop.amounts import exact
from shapley_coop.extensions.markets.market import Market, Worth, worth_of
from shapley_coop.extensions.markets.unpaid import UnpaidPoints
from shapley_coop.games.reference_points import ReferencePoints

MOST_UNITS = 500


class TradePoints(ReferencePoints):
    """The reference points of a market with payments: efficient outcomes have the best total."""

    def __init__(self, market: Market) -> None:
        super().__init__(lambda: None if (best := welfare(market)) is None else float(best))
        self._market = market

    @cached_property
    def disagreement(self) -> Mapping[str, float]:
        """Agent → its payoff if no deal is made."""
        return {agent: float(self._market.alone(agent)) for agent in self._market.agents}

    @property
    def without_payments(self) -> ReferencePoints:
        """The reference points if nobody can pay."""
        return UnpaidPoints(self._market, self)


def welfare(market: Market) -> Fraction | None:
    """Return the largest sum of worths, over all allocations and over the refusal of a pool.

    The result is None if the search is too expensive: a good has more than `MOST_UNITS` units, and
    some agent's marginal worth of the good increases.
    """
    bests = [_best_of(market, good) for good in market.goods]
    best = sum((x for x in bests if x is not None), Fraction(0))
    if None in bests:
        return None
    alone = sum((market.alone(agent) for agent in market.agents), Fraction(0))
    return max(best, alone) if market.pool else best


def _best_of(market: Market, good: str) -> Fraction | None:
    """Return the largest sum of worths of one good's units, over all divisions among agents."""
    total = market.totals[good]
    worths = [market.worths[agent].get(good, 0) for agent in market.agents]
    if not any(isinstance(worth, list | dict) for worth in worths):
        return max(worth_of(worth, total) for worth in worths)
    if all(map(_falls, worths)):
        units = chain.from_iterable(_units(worth, total) for worth in worths)
        return sum(nlargest(total, units), Fraction(0))
    if total > MOST_UNITS:
        return None
    best: list[Fraction] = []  # best[k]: the largest worth of k units for the agents so far
    for agent in market.agents:
        own = [worth_of(market.worths[agent].get(good, 0), n) for n in range(total + 1)]
        best = [
            max(best[n - k] + own[k] for k in range(n + 1)) if best else own[n]
            for n in range(total + 1)
        ]
    return best[total]


def _falls(worth: Worth) -> bool:
    """Return whether no further unit of a good is worth more to the agent than the one before."""
    if isinstance(worth, list):
        each = [*map(exact, worth), Fraction(0)]
        return all(a >= b for a, b in pairwise(each))
    return not isinstance(worth, dict)


def _units(worth: Worth, total: int) -> Iterator[Fraction]:
    """Return the marginal worths of `total` units, from the first unit on."""
    assert not isinstance(worth, dict), "an issue's options are not worth less and less"
    each = map(exact, worth) if isinstance(worth, list) else repeat(exact(worth), total)
    return islice(chain(each, repeat(Fraction(0))), total)
