"""Enforce: deposits are taken when a contract is signed, and forfeited when it is broken."""

from typing import Any

from shapley_coop.state import EvaluatedTable, Table, home
from shapley_coop.state.settlement import deposit_lines


def enforce(table: Table) -> dict[str, Any]:
    """Post what the deposits have come to so far; what is posted already is not done again.

    A branch that is not the first to post is refused here and is `counterfactual` at settlement.

    Payments and the last returns are made at settlement. Nothing is written to the table: it all
    follows from the contract and the record.
    """
    home().ledger.post_branch(table["episode"], deposit_lines(EvaluatedTable(table), over=False))
    return {}
