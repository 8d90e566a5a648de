"""Check what was agreed, once: only a valid allocation becomes an offer that can be signed."""

from typing import Any

from shapley_coop.deals.exchange.messages import check_message
from shapley_coop.deals.language.deal import Deal, accept, put
from shapley_coop.deals.language.faults import Fault
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.exchange import REFUSED, exchange_of
from shapley_coop.state.own_tables import ExchangeTable


def check(table: ExchangeTable) -> dict[str, Any]:
    """The final check of the accepted proposal.

    Verdicts: `sound`, with the offer as all accepted it, or `error`, with the label counted
    where its author's refusals are.
    """
    standing = table["pending"]
    assert standing is not None, "only what was accepted is checked"
    by = standing["by"]
    verdict = check_message(standing["wrote"], exchange_of(EvaluatedTable(table)).tasks, by)
    if verdict.label:
        refused = {"refused": 1, f"{REFUSED}{verdict.label}": 1}
        return {"verdict": "error", "spent": {"negotiation": {"agents": {by: refused}}}}
    deal = next(s["deal"] for s in table["talk"] if s.get("puts") == standing["turn"])
    offer = put(Deal.of(deal), by, standing["turn"])
    for agent in standing["accepted"]:
        signed = accept(offer, agent, offer["revision"], offer["hash"])
        assert not isinstance(signed, Fault), "what stands is what was accepted"
        offer = signed
    return {"verdict": "sound", "offer": offer}
