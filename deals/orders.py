"""Orders to a call market, as an agent writes them, and the deal that they come to.

>>> found = read_orders({"orders": [{"side": "buy", "good": "wood", "quantity": 2, "price": 3}]},
...                     "Ann", ["wood"])
>>> found
[('wood', Order(agent='Ann', side='buy', quantity=2, limit=Fraction(3, 1)))]
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import MAX_AMOUNT, parse_exact, plain
from shapley_coop.deals.clearing import BUY, SELL, Cleared, Order, clear
from shapley_coop.deals.language.clauses import Clause, Give, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault, together
from shapley_coop.deals.language.spelling import meant

MOST_ORDERS = 200
"""In one message: a demand schedule of several goods."""

MOST_UNITS = 10_000
FIELDS = ("side", "good", "quantity", "price")

Placed = tuple[str, Order]
"""A good, and an order of it."""


def read_orders(given: Any, agent: str, goods: Sequence[str]) -> list[Placed] | Fault:
    """The orders in a proposal's JSON, or all that is wrong with them.

    Args:
        given: `{"orders": [{"side", "good", "quantity", "price"}, …]}`, or the list alone.
        agent: whose they are.
        goods: what there is.
    """
    rows = given.get("orders") if isinstance(given, Mapping) else given
    if not isinstance(rows, list) or not rows:
        return Fault("JSON", 'Write {"orders": [{"side", "good", "quantity", "price"}, …]}.')
    if len(rows) > MOST_ORDERS:
        return Fault("LONG", f"You send {len(rows)} orders: at most {MOST_ORDERS}.")
    found = [_order(row, n, agent, goods) for n, row in enumerate(rows, start=1)]
    if wrong := together([one for one in found if isinstance(one, Fault)]):
        return wrong
    placed = [one for one in found if not isinstance(one, Fault)]
    checks = (_crossed, _too_dear)
    return together([check(placed, good) for check in checks for good in goods]) or placed


def beyond(
    placed: Iterable[Placed], holds: Mapping[str, int], purse: Fraction | None
) -> Fault | None:
    """ABLE: why an agent could not do all that it orders; None if it can.

    Args:
        placed: its orders.
        holds: good → how many it has.
        purse: the most that it can pay in all; None for any amount.
    """
    listed, selling = list(placed), dict.fromkeys(holds, 0)
    for good, order in listed:
        if order.side == SELL:
            selling[good] = selling.get(good, 0) + order.quantity
    wrong = [
        Fault("ABLE", f"You offer {count} {good} and hold {holds.get(good, 0)}: offer fewer.")
        for good, count in selling.items()
        if count > holds.get(good, 0)
    ]
    sums = (order.limit * order.quantity for _, order in listed if order.side == BUY)
    pays = sum(sums, Fraction(0))
    if purse is not None and pays > purse:
        told = f"All that you order could cost {plain(pays)}, and you can pay {plain(purse)}"
        wrong.append(Fault("ABLE", f"{told}: order less, or at lower prices."))
    return together(wrong)


def cleared(placed: Iterable[Placed], goods: Sequence[str], seed: int) -> dict[str, Cleared]:
    """Good → what all orders of it come to, in the order of the goods."""
    listed = list(placed)
    return {good: clear([o for g, o in listed if g == good], seed, good) for good in goods}


def traded(found: Mapping[str, Cleared]) -> Deal:
    """The deal that hands the goods over and pays for them, seller by seller."""
    clauses: list[Clause] = []
    for good, one in found.items():
        if one.price is None:
            continue
        for seller, buyer, units in one.trades():
            clauses.append(Give(giver=seller, receiver=buyer, good=good, quantity=units))
            if one.price:
                amount = plain(one.price * units)
                clauses.append(Pay(payer=buyer, payee=seller, amount=amount))
    return Deal(clauses=tuple(clauses))


def _order(row: Any, number: int, agent: str, goods: Sequence[str]) -> Placed | Fault:
    at = f"Order {number}"
    if not isinstance(row, Mapping) or set(row) != set(FIELDS):
        return Fault("JSON", f"{at}: give {', '.join(FIELDS)}, each once and nothing else.")
    side = meant(str(row["side"]), (BUY, SELL))
    good = meant(str(row["good"]), goods)
    if side is None or good is None:
        wrong = f"side {row['side']!r:.40}" if side is None else f"good {row['good']!r:.40}"
        return Fault("JSON", f"{at}: {wrong}: choose one of {', '.join(goods if side else SIDES)}.")
    quantity, price = row["quantity"], _price(row["price"])
    if isinstance(quantity, bool) or not isinstance(quantity, int) or not 0 < quantity < MOST_UNITS:
        return Fault("JSON", f"{at}: quantity is a whole number of units, 1 or more.")
    if price is None:
        return Fault("JSON", f"{at}: price is an amount for one unit, 0 or more, as in 2.5.")
    return good, Order(agent, BUY if side == BUY else SELL, quantity, price)


SIDES = (BUY, SELL)


def _price(given: Any) -> Fraction | None:
    """An amount of 0 or more; None where it is none."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    try:
        price = parse_exact(str(given))
    except ValueError:
        return None
    return price if price >= 0 else None


def _too_dear(placed: Sequence[Placed], good: str) -> Fault | None:
    """Why what an agent buys of a good could cost more than a deal can say."""
    buys = (order for g, order in placed if g == good and order.side == BUY)
    cost = sum((order.limit * order.quantity for order in buys), Fraction(0))
    if cost <= MAX_AMOUNT:
        return None
    return Fault("ORDER", f"Your orders of {good} could cost more than {MAX_AMOUNT}: order less.")


def _crossed(placed: Sequence[Placed], good: str) -> Fault | None:
    """Why an agent could trade a good with itself."""
    bids = [order.limit for g, order in placed if g == good and order.side == BUY]
    asks = [order.limit for g, order in placed if g == good and order.side == SELL]
    if not bids or not asks or max(bids) < min(asks):
        return None
    return Fault(
        "ORDER",
        f"You would buy {good} at {plain(max(bids))} and sell it at {plain(min(asks))}: the price "
        "at which you buy has to be lower.",
    )
