"""Account: what was earned, and what every agent ends with if nothing more is agreed."""

from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import Table


def account(table: Table) -> dict[str, Any]:
    """Add up the play, before the agents bargain over the split."""
    evaluated = EvaluatedTable(table)
    return {
        "accounts": {
            "total": plain(evaluated.total),
            "earned": {agent: plain(x) for agent, x in evaluated.earned.items()},
            "as_signed": {agent: plain(x) for agent, x in evaluated.without_more().items()},
        }
    }
