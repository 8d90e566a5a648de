"""The clearing of a call market: one good, all orders at once, one price for all trades.

A call market is a k-double auction with k = 1/2 (Chatterjee and Samuelson, 1983; Rustichini,
Satterthwaite and Williams, 1994). Limits to buy are ranked downwards and limits to sell upwards. A
pair trades if the buyer's limit is at least the seller's. The price is the middle of the interval
of prices that clear this number of units. No other single price trades more units. No agent trades
at a price worse than its limit. Units bought equal units sold. In the example the price is 4: above
4, Ben would offer a third unit, which no agent buys.

>>> orders = [Order("Ann", BUY, 2, Fraction(9)), Order("Ben", SELL, 3, Fraction(4))]
>>> cleared = clear(orders)
>>> str(cleared.price), cleared.volume, cleared.bought, cleared.sold
('4', 2, {'Ann': 2}, {'Ben': 2})
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, islice, repeat
from typing import Literal

from shapley_coop.amounts import MAX_DENOMINATOR
from shapley_coop.games.dice import dice

Side = Literal["buy", "sell"]
BUY: Side = "buy"
SELL: Side = "sell"


@dataclass(frozen=True)
class Order:
    """A limit order: up to `quantity` units, each at the limit price or a better one.

    Attributes:
        agent: the author of the order.
        side: "buy" or "sell".
        quantity: the number of units, 1 or more.
        limit: the highest price that a buyer pays for a unit, or the lowest that a seller accepts.
    """

    agent: str
    side: Side
    quantity: int
    limit: Fraction


@dataclass(frozen=True)
class Cleared:
    """The result of clearing the orders of one good.

    Attributes:
        price: the price of each unit; None if nothing trades.
        bought: agent → number of units that it buys.
        sold: agent → number of units that it sells.
    """

    price: Fraction | None = None
    bought: dict[str, int] = field(default_factory=dict)
    sold: dict[str, int] = field(default_factory=dict)

    @property
    def volume(self) -> int:
        """The number of units that trade."""
        return sum(self.bought.values())

    def trades(self) -> Iterator[tuple[str, str, int]]:
        """Yield (seller, buyer, units), matching sellers and buyers in order.

        The number of trades is smaller than the number of agents that trade.
        """
        buyers = iter(self.bought.items())
        buyer, wanted = "", 0
        for seller, units in self.sold.items():
            left = units
            while left:
                if not wanted:
                    buyer, wanted = next(buyers)
                moved = min(left, wanted)
                yield seller, buyer, moved
                left, wanted = left - moved, wanted - moved


def clear(orders: Iterable[Order], seed: int = 0, good: str = "") -> Cleared:
    """Clear all orders of one good.

    Args:
        orders: the orders of all agents; no agent should buy and sell at crossing limits.
        seed: the seed of the lot that ranks agents with equal limits.
        good: the name of the good, so that the lots of two goods differ.
    """
    known = list(orders)
    wanted, offered = (sum(o.quantity for o in known if o.side == side) for side in (BUY, SELL))
    most = min(wanted, offered) + 1  # bounds the memory if one side orders too many units
    buys = list(islice(_units(known, BUY, seed, good), most))
    sells = list(islice(_units(known, SELL, seed, good), most))
    pairs = zip(buys, sells, strict=False)
    count = sum(1 for (bid, _), (ask, _) in pairs if bid >= ask)
    if not count:
        return Cleared()
    low, high = sells[count - 1][0], buys[count - 1][0]
    low = max([low, *(bid for bid, _ in buys[count : count + 1])])
    high = min([high, *(ask for ask, _ in sells[count : count + 1])])
    return Cleared(
        price=_middle(low, high),
        bought=dict(Counter(agent for _, agent in buys[:count])),
        sold=dict(Counter(agent for _, agent in sells[:count])),
    )


def _middle(low: Fraction, high: Fraction) -> Fraction:
    """Return the middle of two limits, rounded but between them if its denominator is too large."""
    middle = (low + high) / 2
    if middle.denominator <= MAX_DENOMINATOR:
        return middle
    return max(low, min(high, Fraction(round(middle * MAX_DENOMINATOR), MAX_DENOMINATOR)))


def _units(
    orders: Sequence[Order], side: Side, seed: int, good: str
) -> Iterator[tuple[Fraction, str]]:
    """Yield the limit and agent of each unit on a side, best limit first, ties at random."""
    agents = sorted({order.agent for order in orders})
    places = dice(seed, 0, f"call_market/{side}/{good}").permutation(len(agents))
    place = dict(zip(agents, places, strict=True))
    sign = -1 if side == BUY else 1
    ranked = sorted(
        (sign * order.limit, place[order.agent], order.agent, order.quantity)
        for order in orders
        if order.side == side
    )
    return chain.from_iterable(repeat((sign * limit, agent), n) for limit, _, agent, n in ranked)
