"""The node that begins a new bargaining, without an offer and with the first agent as speaker."""

from typing import Any

from shapley_coop.state.table import Table


async def convene(table: Table) -> dict[str, Any]:
    """Clear the offer and thoughts of the last bargaining, and let the first agent speak."""
    return {
        "thoughts": None,
        "answers": None,
        "offer": None,
        "lapsed": None,
        "round": 1,
        "speaker": table["agents"][0],
        "verdict": "",
    }
