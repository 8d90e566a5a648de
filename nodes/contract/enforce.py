"""Enforce: deposits are taken when a contract is signed, and forfeited when it is broken."""

from typing import Any

from shapley_coop.amounts import to_micro
from shapley_coop.deals.analysis.certificate import deposit_of
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.enforcement import Enforcement, escrow
from shapley_coop.state import Key, Line, Table, game_of, home


def enforce(table: Table) -> dict[str, Any]:
    """Post what the deposits have come to so far; what is posted already is not done again.

    Payments and the last returns are made at settlement. Nothing is written to the table: it all
    follows from the contract and the record.
    """
    game, contract = game_of(table["settings"]), table.get("contract")
    terms, record = Enforcement.of(table["settings"]), table.get("record", [])
    amount = to_micro(deposit_of(contract, facts_of(game), terms, record))
    for posting in escrow(contract, record, game.agents, amount, over=False):
        key = Key(table["episode"], posting.kind, posting.clause, posting.turn)
        home().ledger.post(key, [Line(*move) for move in posting.moves])
    return {}
