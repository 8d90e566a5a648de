"""The orders of an embedded agent in a call market, by its marginal worth of each unit.

The agent states its true limits, except for a cent of gain on each unit. As all trades have one
price, an untrue limit gains only if it moves this price.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.extensions.markets.clearing import BUY, SELL
from shapley_coop.extensions.markets.foresight import Guess
from shapley_coop.extensions.markets.market import worth_of
from shapley_coop.games.foresight import check_facts

CENT = Fraction(1, 100)


def orders(facts: Mapping[str, Any]) -> str:
    """Return the message with all orders from which the agent can gain.

    Raises:
        Missing: the letter lacks the agent's holdings or worths.
    """
    check_facts(facts, "you", "agents", "goods", "pool", "worth_to_you")
    market = Guess(facts)
    units = Counter([*_to_sell(market), *_to_buy(market)])
    rows = [
        {"side": side, "good": good, "quantity": count, "price": plain(price)}
        for (side, good, price), count in units.items()
    ]
    if not rows:
        return "<s>I order nothing.</s><REJECT>"
    return f"<PROPOSAL>{json.dumps({'orders': rows})}</PROPOSAL>"


def tradable(facts: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return side → good → the number of units that the agent can sell or buy.

    A bid for a good that no other agent holds trades nothing and moves no price.
    """
    if "position" not in facts:
        return {}
    market = Guess(facts)
    held = market.holds[market.me]
    others = {good: market.totals[good] - count for good, count in held.items()}
    sides = {SELL: held, BUY: others}
    most = {side: {good: n for good, n in units.items() if n} for side, units in sides.items()}
    return {side: units for side, units in most.items() if units}


def _to_sell(market: Guess) -> Iterator[tuple[str, str, Fraction]]:
    """Yield an order to sell each unit held, for a cent more than its worth."""
    for good, count in market.holds[market.me].items():
        for unit in range(count):
            yield "sell", good, _worth(market, good, unit) + CENT


def _to_buy(market: Guess) -> list[tuple[str, str, Fraction]]:
    """Return orders to buy other agents' units, for a cent less than the worth of each unit.

    The units with the highest worth come first, until the purse is used up. For the last unit the
    agent bids the money left if its limit is higher.
    """
    wanted = []
    for good, own in market.holds[market.me].items():
        others, worth = market.totals[good] - own, market.own.get(good, 0)
        if isinstance(worth, list):  # units beyond the list are worth 0
            others = min(others, len(worth) - own)
        units = (_worth(market, good, own + more) - CENT for more in range(others))
        wanted += [("buy", good, limit) for limit in units if limit > 0]
    wanted.sort(key=lambda order: -order[2])
    if market.purse is None:
        return wanted
    left, kept = market.purse, []
    for side, good, limit in wanted:
        if price := min(limit, left):
            left -= price
            kept.append((side, good, price))
    return kept


def _worth(market: Guess, good: str, unit: int) -> Fraction:
    """Return the worth of one more unit of a good if the agent holds `unit` units already."""
    worth = market.own.get(good, 0)
    return worth_of(worth, unit + 1) - worth_of(worth, unit)
