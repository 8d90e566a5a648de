"""A call market at a table: what agents ordered, which stays sealed, and what it comes to."""

from collections.abc import Mapping

from shapley_coop.deals.language.deal import Deal
from shapley_coop.extensions.markets.clearing import Cleared
from shapley_coop.extensions.markets.orders import Placed, cleared, orders_in, traded
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.storage.home import home
from shapley_coop.state.turn import pointers_in


def sent_in(evaluated: EvaluatedTable) -> dict[str, list[Placed]]:
    """Agent → its orders, of all that waits sealed; whoever passed has none."""
    table = evaluated.table
    opened = home().journal.open_all(table["episode"], pointers_in(table["sealed"]))
    goods = evaluated.game.goods
    return {agent: orders_in(e.answer.text, agent, goods) for agent, e in opened.items()}


def market_of(
    evaluated: EvaluatedTable, orders: Mapping[str, list[Placed]]
) -> tuple[dict[str, Cleared], Deal]:
    """Good → its price and volume, and the deal by which goods change hands and are paid for."""
    placed = [one for own in orders.values() for one in own]
    found = cleared(placed, evaluated.game.goods, evaluated.config.seed)
    return found, traded(found)
