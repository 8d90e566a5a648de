"""Fail: the talk broke down, and the run says so."""

from typing import Any

from shapley_coop.state.table import Table


async def fail(table: Table) -> dict[str, Any]:
    """Nothing was allocated and nothing was done; the settlement before this moved nothing."""
    return {"status": "error"}


def route_failure(table: Table) -> str:
    """Return `error` where the talk broke down, else `done`."""
    return "error" if table["verdict"] == "error" else "done"
