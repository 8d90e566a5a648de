"""The sealed orders of a call market, and the prices and trades computed from them."""

from collections.abc import Mapping

from shapley_coop.deals.language.deal import Deal
from shapley_coop.extensions.markets.clearing import Cleared
from shapley_coop.extensions.markets.orders import Placed, cleared, orders_in, traded
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.storage.home import home
from shapley_coop.state.turn import pointers_in


def sent_in(evaluated: EvaluatedTable) -> dict[str, list[Placed]]:
    """Return agent → the orders in its sealed answer; [] for an agent that passed."""
    table = evaluated.table
    opened = home().journal.open_all(table["episode"], pointers_in(table["sealed"]))
    goods = evaluated.game.goods
    return {agent: orders_in(e.answer.text, agent, goods) for agent, e in opened.items()}


def market_of(
    evaluated: EvaluatedTable, orders: Mapping[str, list[Placed]]
) -> tuple[dict[str, Cleared], Deal]:
    """Return good → its price and volume, and the deal that moves the goods and pays for them."""
    placed = [one for own in orders.values() for one in own]
    found = cleared(placed, evaluated.game.goods, evaluated.config.seed)
    return found, traded(found)
