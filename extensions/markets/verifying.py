"""The check by `coop verify` that recomputes a call market from its sealed orders."""

from shapley_coop.amounts import plain
from shapley_coop.deals.contract import in_force
from shapley_coop.evals.rechecks import Recheck
from shapley_coop.evals.verifying_books import differences
from shapley_coop.extensions.markets.orders import ORDER, orders_hash, orders_in
from shapley_coop.extensions.markets.sealed import market_of
from shapley_coop.extensions.markets.table import prices_of
from shapley_coop.state.additions import SealedAnswer
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table


def wrongly_cleared(table: Table) -> list[str]:
    """Return where a call market's contract and prices differ from the recomputed ones."""
    evaluated = EvaluatedTable(table)
    goods, sent = evaluated.game.goods, _sent_in(table)
    orders = {agent: orders_in(text, agent, goods) for agent, text in sent.items()}
    found, deal = market_of(evaluated, orders)
    told = {
        good: {"price": plain(one.price), "volume": one.volume}
        for good, one in found.items()
        if one.price is not None
    }
    signed = list(in_force(table.get("contract")).values())
    different = list(differences(prices_of(table), told))
    return different if signed == list(deal.clauses) else ["the trades", *different]


def ordered(table: Table) -> dict[str, SealedAnswer]:
    """Return agent → the sealed answer with its orders and their hash."""
    goods, found = EvaluatedTable(table).game.goods, {}
    for agent, text in _sent_in(table).items():
        if placed := orders_in(text, agent, goods):
            found[agent] = SealedAnswer("plan", 1, text, orders_hash(placed), "its orders")
    return found


def _sent_in(table: Table) -> dict[str, str]:
    """Return agent → the text of the answer with its orders.

    Agents that passed are left out: their last answer was refused, or declined to order.
    """
    passed = {said["by"] for said in table["talk"] if said["act"] == "pass"}
    sent = (e for e in home().journal.entries(table["episode"]) if e.act == ORDER)
    latest = sorted(sent, key=lambda entry: entry.attempt)
    return {entry.agent: entry.answer.text for entry in latest if entry.agent not in passed}


CLEARED = Recheck(
    name="market",
    wrong=wrongly_cleared,
    sound="cleared anew, the same prices and trades",
    sealed=ordered,
)
