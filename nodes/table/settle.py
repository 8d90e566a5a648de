"""Settle: decide who ends up with what, and pay it, once."""

from typing import Any

from shapley_coop.state import EvaluatedTable, Status, Table, final, home
from shapley_coop.state.settlement import decide, deposit_lines, reward_lines


def settle(table: Table) -> dict[str, Any]:
    """Execute the decision under the episode's one final key.

    An identical posting that is already there is this one; a different one makes this branch
    `counterfactual`: it is reported and not paid.
    """
    evaluated, ledger = EvaluatedTable(table), home().ledger
    settlement = decide(evaluated)
    verdicts = [ledger.post(key, lines) for key, lines in deposit_lines(evaluated, over=True)]
    if "refused" not in verdicts:
        verdicts.append(ledger.post(final(table["episode"]), reward_lines(settlement)))
    settlement["ledger"] = "counterfactual" if "refused" in verdicts else "paid"
    return {"settlement": settlement, "status": _status(evaluated, settlement)}


def _status(evaluated: EvaluatedTable, settlement: dict[str, Any]) -> Status:
    """How the run ended: by the budget only where the game was not over by itself."""
    if evaluated.budget_spent and not evaluated.over:
        return "budget"
    return "agreed" if settlement["basis"] != "none" else "no_deal"
