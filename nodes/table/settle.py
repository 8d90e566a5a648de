"""The node that decides each agent's payoff and pays it exactly once."""

from typing import Any

from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.result import in_units
from shapley_coop.state.settlement import decide, deposit_lines, final_lines, status_of
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.ledger import final
from shapley_coop.state.table import Table


def settle(table: Table) -> dict[str, Any]:
    """Decide the settlement, post it to the ledger, and return it for the table.

    Remaining deposits, rewards and transfers between agents are posted in one transaction. If
    identical postings exist, nothing is added. If another fork of the run has posted others, this
    fork is `counterfactual`: it is reported but not paid.
    """
    evaluated, ledger = EvaluatedTable(table), home().ledger
    settlement = decide(evaluated)
    episode = table["episode"]
    due = [*deposit_lines(evaluated, over=True), (final(episode), final_lines(settlement))]
    verdict = ledger.post_branch(episode, due)
    settlement["ledger"] = "counterfactual" if verdict == "refused" else "paid"
    return {
        "settlement": settlement,
        "outcome": in_units(settlement),
        "status": status_of(evaluated, settlement),
    }
