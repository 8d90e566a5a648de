"""Summarize: what everybody accepted becomes a contract that people can read."""

from typing import Any

from deals import sign
from state import Table


def summarize(table: Table) -> dict[str, Any]:
    """Sign the accepted offer: its clauses, their text, and who accepted which revision."""
    offer = table["offer"]
    assert offer is not None, "only an accepted offer is summarised"
    turn = len(table.get("record", [])) + 1
    return {"contract": sign(offer, from_turn=turn), "offer": None}
