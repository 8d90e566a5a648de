"""Pair: all agents are drawn into pairs, and the talk of each begins."""

from typing import Any

from shapley_coop.extensions.institutions.pairs.meetings import MeetingsTable, drawn
from shapley_coop.state.evaluated import EvaluatedTable


async def pair(table: MeetingsTable) -> dict[str, Any]:
    """The next meeting, by lot. What was said in the last one is not heard in it."""
    evaluated, last = EvaluatedTable(table), table.get("meetings", [])
    number, began = (last[0]["number"] + 1 if last else 1), table["round"] + (1 if last else 0)
    seed = evaluated.config.seed
    return {"meetings": drawn(table["agents"], seed, number, began), "round": began}
