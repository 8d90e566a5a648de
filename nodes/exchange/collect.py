"""Collect: all plans are in, and the talk begins."""

from typing import Any

from shapley_coop.state.table import Table
from shapley_coop.state.turn import unsound


async def collect_plans(table: Table) -> dict[str, Any]:
    """Open the first turn of talk. Verdicts: `refused` (a plan was refused) and `sound`."""
    return {"verdict": "refused"} if unsound(table) else {"verdict": "sound", "round": 2}
