"""The node `pair`: it draws all agents into pairs, and begins the talk of each pair."""

from typing import Any

from shapley_coop.extensions.exchange.pairs.meetings import MeetingsTable, drawn
from shapley_coop.state.evaluated import EvaluatedTable


async def pair(table: MeetingsTable) -> dict[str, Any]:
    """Draw the next meeting's pairs by lot; their letters omit the talk of earlier meetings."""
    evaluated, last = EvaluatedTable(table), table.get("meetings", [])
    number, began = (last[0]["number"] + 1 if last else 1), table["round"] + (1 if last else 0)
    seed = evaluated.config.seed
    return {"meetings": drawn(table["agents"], seed, number, began), "round": began}
