"""The node that turns the offer that all accepted into a contract."""

from typing import Any

from shapley_coop.deals.contract import amend, sign
from shapley_coop.state.table import Table


async def summarize(table: Table) -> dict[str, Any]:
    """Turn the accepted offer into the contract, or into an amendment of the current contract."""
    offer, before = table["offer"], table.get("contract")
    assert offer is not None, "only an accepted offer is summarised"
    turn = len(table.get("record", [])) + 1
    if before is None:
        return {"contract": sign(offer, from_turn=turn), "offer": None, "lapsed": None}
    contract = amend(before, offer, from_turn=turn)
    amendment = {
        "turn": turn,
        "hash": contract["hash"],
        "previous": contract["previous"],
        **offer["deal"],
    }
    return {
        "contract": contract,
        "amendments": [*table["amendments"], amendment],
        "offer": None,
        "lapsed": None,
    }
