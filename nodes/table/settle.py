"""Settle: decide who ends up with what, and pay it, once."""

from typing import Any

from shapley_coop.state import EvaluatedTable, Status, Table, final, home
from shapley_coop.state.outcome import without_play
from shapley_coop.state.result import in_units
from shapley_coop.state.settlement import decide, deposit_lines, reward_lines


def settle(table: Table) -> dict[str, Any]:
    """Execute the decision under the episode's one final key.

    Deposits and rewards are posted in one transaction. Identical postings that are there already
    are these; different ones make this branch `counterfactual`: it is reported and not paid.
    """
    evaluated, ledger = EvaluatedTable(table), home().ledger
    settlement = decide(evaluated)
    episode = table["episode"]
    due = [*deposit_lines(evaluated, over=True), (final(episode), reward_lines(settlement))]
    verdict = ledger.post_branch(episode, due)
    settlement["ledger"] = "counterfactual" if verdict == "refused" else "paid"
    return {
        "settlement": settlement,
        "outcome": in_units(settlement),
        "status": _status(evaluated, settlement),
    }


def _status(evaluated: EvaluatedTable, settlement: dict[str, Any]) -> Status:
    """How the run ended: by the budget only where the game was not over by itself."""
    if evaluated.budget_spent and not evaluated.over:
        return "budget"
    if idle := without_play(evaluated.record):
        return idle
    return "agreed" if settlement["basis"] != "none" else "no_deal"
