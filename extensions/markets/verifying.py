"""What `coop verify` recomputes of a call market from its sealed orders."""

from shapley_coop.amounts import plain
from shapley_coop.deals.contract import in_force
from shapley_coop.deals.signing.acceptance import is_signed, signature_in
from shapley_coop.evals.rechecks import Recheck
from shapley_coop.evals.verifying_books import differences
from shapley_coop.extensions.markets.orders import ORDER, orders_in
from shapley_coop.extensions.markets.sealed import market_of
from shapley_coop.extensions.markets.signing import order_to_sign
from shapley_coop.extensions.markets.table import prices_of
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.signatures import wrongly_signed
from shapley_coop.state.signed_settings import signed_run
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table


def wrongly_cleared(table: Table) -> list[str]:
    """Where the contract of a call market is not what its sealed orders come to."""
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


def wrongly_ordered(table: Table) -> list[str]:
    """Which sealed orders are not what their author's key signed, or lack a signature that is due.

    A party elsewhere signs its orders, a key of this home what they come to.
    """
    evaluated, found = EvaluatedTable(table), list[str]()
    keys, required = evaluated.config.keys, evaluated.config.require_signed
    for agent, text in _sent_in(table).items():
        placed = orders_in(text, agent, evaluated.game.goods)
        if not placed or agent not in keys or keys[agent].name:
            continue
        bound, signature = order_to_sign(signed_run(table), agent, placed), signature_in(text)
        if signature is None and required:
            found.append(f"{agent} did not sign its orders")
        elif signature and not is_signed(keys[agent].key, bound, signature):
            found.append(f"the signature of {agent} is not of its orders")
    bound_by = (table.get("contract") or {"signatures": {}})["signatures"]
    here = {a: party.key for a, party in keys.items() if party.name and a in bound_by}
    return found + wrongly_signed(table, here, required)


def _sent_in(table: Table) -> dict[str, str]:
    """Agent → the answer that holds its orders to a call market.

    What is in the last answer of one that passed was refused, or declines.
    """
    passed = {said["by"] for said in table["talk"] if said["act"] == "pass"}
    sent = (e for e in home().journal.entries(table["episode"]) if e.act == ORDER)
    latest = sorted(sent, key=lambda entry: entry.attempt)
    return {entry.agent: entry.answer.text for entry in latest if entry.agent not in passed}


CLEARED = Recheck(
    name="market",
    wrong=wrongly_cleared,
    sound="cleared anew, the same prices and trades",
    signatures=wrongly_ordered,
)
