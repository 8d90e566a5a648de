"""The clearing rule of a call market holds for all orders, not for examples alone."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.extensions.markets.clearing import BUY, SELL, Cleared, Order, clear

LIMITS = st.integers(0, 12).map(Fraction) | st.fractions(0, 12, max_denominator=4)
ORDERS = st.lists(
    st.builds(
        Order,
        agent=st.sampled_from("ABCDEF"),
        side=st.sampled_from([BUY, SELL]),
        quantity=st.integers(1, 5),
        limit=LIMITS,
    ),
    max_size=12,
).map(lambda orders: [one for one in orders if (one.agent in "ABC") == (one.side == BUY)])
"""A, B and C buy; D, E and F sell."""


def willing(orders: list[Order], price: Fraction) -> int:
    """How many units could trade at a price."""
    demand = sum(o.quantity for o in orders if o.side == BUY and o.limit >= price)
    supply = sum(o.quantity for o in orders if o.side == SELL and o.limit <= price)
    return min(demand, supply)


def units(orders: list[Order], agent: str) -> list[Fraction]:
    """An agent's limits, a unit each, the ones it gains most by first."""
    mine = [o for o in orders if o.agent == agent]
    found = [o.limit for o in mine for _ in range(o.quantity)]
    return sorted(found, reverse=agent in "ABC")


@given(ORDERS, st.integers(0, 3))
def test_what_is_bought_is_what_is_sold_and_goods_and_money_balance(
    orders: list[Order], seed: int
) -> None:
    cleared = clear(orders, seed)
    assert sum(cleared.bought.values()) == sum(cleared.sold.values()) == cleared.volume
    assert (cleared.price is None) == (cleared.volume == 0)
    trades = list(cleared.trades())
    assert all(n > 0 for _, _, n in trades)
    for agent, n in cleared.sold.items():
        assert n == sum(moved for seller, _, moved in trades if seller == agent)
    for agent, n in cleared.bought.items():
        assert n == sum(moved for _, buyer, moved in trades if buyer == agent)
    assert len(trades) < max(1, len(cleared.sold) + len(cleared.bought))


@given(ORDERS, st.integers(0, 3))
def test_nobody_trades_at_a_price_worse_than_its_limit_or_more_than_it_ordered(
    orders: list[Order], seed: int
) -> None:
    cleared = clear(orders, seed)
    for agent, n in cleared.bought.items():
        assert all(limit >= cleared.price for limit in units(orders, agent)[:n])
        assert n <= len(units(orders, agent))
    for agent, n in cleared.sold.items():
        assert all(limit <= cleared.price for limit in units(orders, agent)[:n])
        assert n <= len(units(orders, agent))


@given(ORDERS)
def test_no_other_single_price_trades_more_units(orders: list[Order]) -> None:
    cleared = clear(orders)
    limits = sorted({order.limit for order in orders})
    between = [(a + b) / 2 for a, b in pairwise(limits)]
    assert cleared.volume == max((willing(orders, p) for p in [*limits, *between]), default=0)
    if cleared.price is not None:
        assert willing(orders, cleared.price) == cleared.volume


@given(ORDERS)
def test_the_gains_from_trade_by_the_limits_are_the_highest_there_are(orders: list[Order]) -> None:
    """All that a uniform price can do: by the limits stated, no allocation gains more."""
    cleared = clear(orders)
    gain = sum(sum(units(orders, a)[:n], Fraction(0)) for a, n in cleared.bought.items())
    gain -= sum(sum(units(orders, a)[:n], Fraction(0)) for a, n in cleared.sold.items())
    bids = sorted((x for a in "ABC" for x in units(orders, a)), reverse=True)
    asks = sorted(x for a in "DEF" for x in units(orders, a))
    best = sum(max(bid - ask, Fraction(0)) for bid, ask in zip(bids, asks, strict=False))
    assert gain == best


@given(ORDERS, st.permutations(range(12)), st.integers(0, 3))
def test_the_order_in_which_orders_come_in_does_not_matter(
    orders: list[Order], order: list[int], seed: int
) -> None:
    shuffled = [orders[i] for i in order if i < len(orders)]
    assert clear(shuffled, seed) == clear(orders, seed)


def test_at_equal_limits_the_lot_decides_who_is_served() -> None:
    orders = [Order(a, BUY, 1, Fraction(5)) for a in "ABC"] + [Order("D", SELL, 1, Fraction(1))]
    served = {next(iter(clear(orders, seed).bought)) for seed in range(30)}
    assert served == set("ABC")
    assert clear(orders, 4) == clear(orders, 4)


def test_where_no_limits_cross_nothing_trades() -> None:
    apart = [Order("A", BUY, 2, Fraction(3)), Order("D", SELL, 2, Fraction(4))]
    assert clear(apart) == clear([]) == Cleared()
