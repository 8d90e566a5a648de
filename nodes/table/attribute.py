"""Attribute: what the record says each agent contributed, computed by code."""

from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.state import EvaluatedTable, Table


def attribute(table: Table) -> dict[str, Any]:
    """Long-term Shapley, steps 1 to 3 (Shapley-Coop, Eqs. 7-9): outcome, margins, values."""
    evaluated = EvaluatedTable(table)
    found = evaluated.attribution(evaluated.config.norm)
    return {
        "reckoning": {
            "norm": found.norm,
            "total": plain(found.total),
            "marginal": {agent: plain(x) for agent, x in found.marginal.items()},
            "values": {agent: plain(x) for agent, x in found.values.items()},
            "payoffs": {agent: plain(x) for agent, x in found.payoffs(evaluated.total).items()},
        }
    }
