"""How an embedded agent orders in a call market: what one unit more or less is worth to it.

It states its limits as they are, but for a cent that it wants to gain by each unit. With one price
for all, a limit that is worse than it is true gains only where it moves the price.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.extensions.markets.foresight import Guess
from shapley_coop.extensions.markets.market import worth_of
from shapley_coop.games.foresight import check_facts

CENT = Fraction(1, 100)


def orders(facts: Mapping[str, Any]) -> str:
    """Return the message with all orders that are worth it to me.

    Raises:
        Missing: the letter does not say what I hold, or what goods are worth to me.
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


def _to_sell(market: Guess) -> Iterator[tuple[str, str, Fraction]]:
    """Yield every unit that I hold, for a cent more than it is worth to me."""
    for good, count in market.holds[market.me].items():
        for unit in range(count):
            yield "sell", good, _worth(market, good, unit) + CENT


def _to_buy(market: Guess) -> list[tuple[str, str, Fraction]]:
    """Every unit of others that is worth something to me, as far as I could pay for all of them.

    Of several goods the dearest units come first. For a unit that is worth more than I have left,
    I bid what I have left.
    """
    wanted = []
    for good, own in market.holds[market.me].items():
        others, worth = market.totals[good] - own, market.own.get(good, 0)
        if isinstance(worth, list):  # what comes behind it is worth nothing
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
    """Return what a unit of a good is worth to me if I hold so many already."""
    worth = market.own.get(good, 0)
    return worth_of(worth, unit + 1) - worth_of(worth, unit)
