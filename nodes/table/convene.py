"""Convene a bargaining: no offer stands yet, and the first agent may speak."""

from typing import Any

from shapley_coop.state.table import Table


async def convene(table: Table) -> dict[str, Any]:
    """Clear the last bargaining's offer and thoughts; the first in speaking order begins."""
    return {
        "thoughts": None,
        "answers": None,
        "offer": None,
        "lapsed": None,
        "revision": 0,
        "round": 1,
        "speaker": table["agents"][0],
        "verdict": "",
    }
