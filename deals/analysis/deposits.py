"""What each party pays into escrow under a contract."""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from shapley_coop.deals.analysis.game_tree import NOTHING
from shapley_coop.deals.analysis.incentives import sufficient_deposit
from shapley_coop.deals.analysis.stage import NotFinite, StageGame
from shapley_coop.deals.contract import Contract
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.deal import Deal
from shapley_coop.games import Turn


def deposit_of(
    contract: Contract | None,
    facts: Mapping[str, Any],
    enforcement: Enforcement,
    record: Sequence[Turn] = (),
) -> Fraction:
    """What each party pays into escrow: the given amount, or the sufficient deposit.

    0 without a contract, in another mode, or where the sufficient deposit is needed and the game
    cannot be enumerated. An amendment leaves the deposits as they are.
    """
    if contract is None or enforcement.mode != "escrow" or enforcement.deposit is not None:
        return enforcement.held() if contract else NOTHING
    first = contract["terms"][0]["from_turn"]
    clauses = [term["clause"] for term in contract["terms"] if term["from_turn"] == first]
    before = [turn for turn in record if turn["turn"] < first]
    return _needed(json.dumps({"clauses": clauses}), json.dumps(dict(facts)), json.dumps(before))


@lru_cache(maxsize=64)
def _needed(deal: str, facts: str, record: str) -> Fraction:
    try:
        stage = StageGame.of(json.loads(facts))
        return sufficient_deposit(Deal.model_validate_json(deal), stage, json.loads(record))
    except NotFinite:
        return NOTHING
