"""Convene a trade: nothing is pending, and everybody thinks first."""

from typing import Any

from shapley_coop.state import Table


def convene_trade(table: Table) -> dict[str, Any]:
    """Clear what stood; the talk begins with its private turn."""
    return {
        "thoughts": None,
        "answers": None,
        "offer": None,
        "pending": None,
        "revision": 0,
        "round": 1,
        "speaker": table["agents"][0],
        "verdict": "",
    }
