"""The orders that agents write for a call market, and the deal made from their trades.

>>> found = read_orders({"orders": [{"side": "buy", "good": "wood", "quantity": 2, "price": 3}]},
...                     "Ann", ["wood"])
>>> found
[('wood', Order(agent='Ann', side='buy', quantity=2, limit=Fraction(3, 1)))]
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from shapley_coop.amounts import MAX_AMOUNT, parse_exact, plain
from shapley_coop.canonical import digest
from shapley_coop.deals.language import spelling
from shapley_coop.deals.language.clauses import Clause, Give, Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault, list_faults, together
from shapley_coop.deals.language.meant import find_meant
from shapley_coop.deals.language.reading import no_other_keys
from shapley_coop.deals.language.spelling import Notes, show
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.extensions.markets.clearing import BUY, SELL, Cleared, Order, clear

ORDER = "order"
"""The name of the question that asks for orders."""

MOST_ORDERS = 200
"""The largest number of orders in one message, enough for demand schedules of several goods."""

MOST_UNITS = 10_000
FIELDS = ("side", "good", "quantity", "price")

Placed = tuple[str, Order]
"""A good and an order for it."""


def read_orders(given: Any, agent: str, goods: Sequence[str]) -> list[Placed] | Fault:
    """Return the orders in a proposal's JSON, or one fault that lists all their faults.

    Args:
        given: `{"orders": [{"side", "good", "quantity", "price"}, …]}`, the list, one order, or
            `{"sell": {good: [price, …]}, "buy": …}` with the price of each unit.
        agent: the author of the orders.
        goods: the goods of the market.
    """
    notes = Notes()
    rows = _rows(given, notes)
    if rows is None:
        return Fault("JSON", f"The proposal holds no orders: {SHAPE}")
    if len(rows) > MOST_ORDERS:
        return Fault("LONG", f"You send {len(rows)} orders: at most {MOST_ORDERS}.")
    terms = Terms([agent], goods=goods)
    placed = [_order(row, notes.at(f"order {n}"), terms) for n, row in enumerate(rows, start=1)]
    if notes.faults:
        return Fault("JSON", list_faults([f"{one}." for one in notes.faults]))
    checks = (_crossed, _too_dear)
    return together([check(placed, good) for check in checks for good in goods]) or placed


def orders_in(text: str, agent: str, goods: Sequence[str]) -> list[Placed]:
    """Return the orders in an agent's answer; [] if it declines or cannot be read."""
    message = scan(text)
    if not isinstance(message, Message) or message.proposal is None:
        return []
    found = read_orders(message.proposal, agent, goods)
    return [] if isinstance(found, Fault) else found


def orders_hash(placed: Iterable[Placed]) -> str:
    """Return the hash of orders, which their author signs."""
    rows = [
        {"side": order.side, "good": good, "quantity": order.quantity, "price": plain(order.limit)}
        for good, order in placed
    ]
    return digest({"orders": rows})


def in_words(placed: Iterable[Placed]) -> list[str]:
    """Return the orders in plain English, one line each."""
    return [
        f"You {order.side} up to {order.quantity} {good}, for {plain(order.limit)} or "
        f"{'less' if order.side == BUY else 'more'} each."
        for good, order in placed
    ]


SHAPE = (
    'write {"orders": [{"side": "buy" or "sell", "good": …, "quantity": …, "price": …}, …]}, or '
    "<REJECT> for none."
)
"""The form of orders, for feedback."""


def _rows(given: Any, notes: Notes) -> list[Any] | None:
    """Return the unchecked orders in a proposal, perhaps []; None if it has another form."""
    if isinstance(given, Mapping) and "orders" in given:
        no_other_keys(given, ("orders",), notes)
        given = given["orders"] or []
    if isinstance(given, Mapping) and given.keys() & {BUY, SELL}:
        no_other_keys(given, (BUY, SELL), notes)
        return _by_unit(given)
    if isinstance(given, Mapping):
        return [given] if "side" in given else None
    return given if isinstance(given, list) else None


def _by_unit(given: Mapping[str, Any]) -> list[Any] | None:
    """Return orders for units whose prices are listed; None if the lists have another form."""
    rows = []
    for side in (SELL, BUY):
        lists = given.get(side) or {}
        if not isinstance(lists, Mapping) or not all(isinstance(x, list) for x in lists.values()):
            return None
        for good, prices in lists.items():
            for price, alike in groupby(prices):
                count = len([*alike])
                rows.append({"side": side, "good": good, "quantity": count, "price": price})
    return rows


def beyond(
    placed: Iterable[Placed], holds: Mapping[str, int], purse: Fraction | None
) -> Fault | None:
    """Return a fault labelled `ABLE` if an agent could not carry out all its orders, else None.

    Args:
        placed: the agent's orders.
        holds: good → count that the agent holds.
        purse: the largest amount that the agent can pay in all; None for any amount.
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
    """Return good → the result of clearing all its orders, in the order of the goods."""
    listed = list(placed)
    return {good: clear([o for g, o in listed if g == good], seed, good) for good in goods}


def traded(found: Mapping[str, Cleared]) -> Deal:
    """Return the deal that moves the traded goods and pays for them, seller by seller."""
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


def _order(row: Any, notes: Notes, terms: Terms) -> Placed:
    """Return one order; append its faults to `notes`."""
    if not isinstance(row, Mapping):
        notes.wrong("", f"{show(row)} is no order: give {', '.join(FIELDS)}")
        return "", Order("", BUY, 1, Fraction(0))
    no_other_keys(row, FIELDS, notes)
    said = row.get("side")
    side = find_meant(str(said), (BUY, SELL))
    if side is None:
        what = "missing" if said is None else show(said)
        notes.wrong("side", f"it is {what}: write {BUY} or {SELL}")
    good, count = spelling.good(row, notes, terms), spelling.quantity(row, notes)
    if good and good not in terms.goods:
        notes.wrong("good", f"there is no {show(good)}: the goods are {', '.join(terms.goods)}")
    if not 0 < count < MOST_UNITS:
        notes.wrong("quantity", f"{count} is no number of units: write 1 to {MOST_UNITS - 1}")
    price = parse_exact(spelling.amount(row.get("price"), "price", notes, fraction=False))
    if price < 0:
        notes.wrong("price", "it is negative: write what one unit costs, 0 or more")
    return good, Order(terms.agents[0], BUY if side == BUY else SELL, count, price)


def _too_dear(placed: Sequence[Placed], good: str) -> Fault | None:
    """Return a fault if an agent's orders to buy a good could cost more than MAX_AMOUNT."""
    buys = (order for g, order in placed if g == good and order.side == BUY)
    cost = sum((order.limit * order.quantity for order in buys), Fraction(0))
    if cost <= MAX_AMOUNT:
        return None
    return Fault("ORDER", f"Your orders of {good} could cost more than {MAX_AMOUNT}: order less.")


def _crossed(placed: Sequence[Placed], good: str) -> Fault | None:
    """Return a fault if an agent's orders could trade a good with each other."""
    bids = [order.limit for g, order in placed if g == good and order.side == BUY]
    asks = [order.limit for g, order in placed if g == good and order.side == SELL]
    if not bids or not asks or max(bids) < min(asks):
        return None
    return Fault(
        "ORDER",
        f"You would buy {good} at {plain(max(bids))} and sell it at {plain(min(asks))}: the price "
        "at which you buy has to be lower.",
    )
