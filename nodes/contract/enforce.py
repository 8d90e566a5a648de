"""The node that posts deposits to the ledger at signing, and their forfeit at a breach."""

from typing import Any

from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.settlement import deposit_lines
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table


def enforce(table: Table) -> dict[str, Any]:
    """Post all deposits and forfeits due so far; the ledger ignores those that it has already.

    If another fork of the run (time travel) posted first, the ledger refuses the postings, and the
    settlement marks this fork `counterfactual`.

    The settlement posts payments and returns deposits. Contract and record determine all postings.
    """
    home().ledger.post_branch(table["episode"], deposit_lines(EvaluatedTable(table), over=False))
    return {}
