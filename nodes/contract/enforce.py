"""Enforce: deposits are taken when a contract is signed, and forfeited when it is broken."""

from typing import Any

from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.settlement import deposit_lines
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table


def enforce(table: Table) -> dict[str, Any]:
    """Post the deposits and forfeits due so far; an identical posting is not repeated.

    A branch that is not the first to post is refused here and is `counterfactual` at settlement.

    Payments and the last returns are made at settlement. Nothing is written to the table: it all
    follows from the contract and the record.
    """
    home().ledger.post_branch(table["episode"], deposit_lines(EvaluatedTable(table), over=False))
    return {}
