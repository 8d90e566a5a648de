"""The node that ends a run as an error after the talk has failed."""

from typing import Any

from shapley_coop.state.table import Table


async def fail(table: Table) -> dict[str, Any]:
    """Set the status `error`. No task is allocated, and the settlement pays nothing."""
    return {"status": "error"}


def route_failure(table: Table) -> str:
    """Return `error` if the talk failed, else `done`."""
    return "error" if table["verdict"] == "error" else "done"
