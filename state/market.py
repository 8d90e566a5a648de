"""A call market at a table: what agents ordered, which stays sealed, and what it comes to."""

from collections.abc import Mapping

from shapley_coop.deals import Deal, Fault, Message, scan
from shapley_coop.deals.clearing import Cleared
from shapley_coop.deals.orders import Placed, cleared, read_orders, traded
from shapley_coop.seats.records import Entry
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.storage.home import home
from shapley_coop.state.turn import pointers_in

ORDER = "order"
"""The act of a letter that orders answer."""


def sent_in(evaluated: EvaluatedTable) -> dict[str, list[Placed]]:
    """Agent → its orders, of all that waits sealed; whoever passed has none."""
    table = evaluated.table
    opened = home().journal.open_all(table["episode"], pointers_in(table["sealed"]))
    return {agent: orders_of(evaluated, agent, entry) for agent, entry in opened.items()}


def orders_of(evaluated: EvaluatedTable, agent: str, entry: Entry) -> list[Placed]:
    """The orders in an answer; none in one that declines, or that could not be read."""
    message = scan(entry.answer.text)
    if not isinstance(message, Message) or message.proposal is None:
        return []
    found = read_orders(message.proposal, agent, evaluated.game.goods)
    return [] if isinstance(found, Fault) else found


def market_of(
    evaluated: EvaluatedTable, orders: Mapping[str, list[Placed]]
) -> tuple[dict[str, Cleared], Deal]:
    """Good → its price and volume, and the deal by which goods change hands and are paid for."""
    placed = [one for own in orders.values() for one in own]
    found = cleared(placed, evaluated.game.goods, evaluated.config.seed)
    return found, traded(found)
