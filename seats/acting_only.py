"""What a program at a seat answers that acts and takes part in no deal."""

from collections.abc import Mapping
from typing import Any

_WITHOUT_DEALS: dict[str, Mapping[str, Any]] = {
    act: {"decision": "reject"}
    for act in (
        *("answer", "answer_split", "answer_bounty"),
        *("contract_answer", "contract_sign", "ratify"),
    )
}
"""What a strategy answers where a deal is talked about; any other act is answered with nothing."""


def without_deals(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the answer to a letter that asks for no action: it rejects, and claims 1/n."""
    if facts["ask"] == "claim":
        return {"percent": str(100 / len(facts["agents"]))}
    return _WITHOUT_DEALS.get(facts["ask"], {})
