"""The node that ends a talk whose agreement is no valid allocation, and counts the fault."""

from typing import Any

from shapley_coop.extensions.exchange.messages.checking import check_message
from shapley_coop.extensions.exchange.talk import exchange_of, pending_of
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import REFUSED, Table


def check(table: Table) -> dict[str, Any]:
    """Count the agreement's fault among its author's refusals. Verdict: `error`."""
    accepted = pending_of(table)
    assert accepted is not None, "only what was accepted is checked"
    by, tasks = accepted["by"], exchange_of(EvaluatedTable(table)).tasks
    label = check_message(accepted["wrote"], tasks, by).label
    refused = {"refused": 1, f"{REFUSED}{label}": 1}
    spent = {"negotiation": {"agents": {by: refused}}}
    return {"verdict": "error", "offer": None, "spent": spent}
