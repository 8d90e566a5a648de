"""The node that computes the agents' earnings, and their payoffs if no further deal follows."""

from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import Table


def account(table: Table) -> dict[str, Any]:
    """Write the total, each agent's earnings, and its payoff if no further deal is agreed."""
    evaluated = EvaluatedTable(table)
    return {
        "accounts": {
            "total": plain(evaluated.total),
            "earned": {agent: plain(x) for agent, x in evaluated.earned.items()},
            "as_signed": {agent: plain(x) for agent, x in evaluated.without_more().items()},
        }
    }
