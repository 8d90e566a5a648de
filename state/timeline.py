"""The public events of a run in order, of the kinds `said`, `signed`, `played` and `settled`."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.deals.contract import Contract, rebuilt
from shapley_coop.deals.language.deal import Deal
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.messages import agreed_offers
from shapley_coop.state.table import PublicMessage, Table

_ORDER = ("said", "signed", "played")


def timeline(evaluated: EvaluatedTable) -> list[dict[str, Any]]:
    """Return the public events of a run, oldest first, each with its `kind` and `turn`.

    Within a turn, `said` events come first, then `signed`, then `played`.
    """
    table = evaluated.table
    events = [said_event(said, table) for said in table.get("talk", [])]
    events += [_signing_event(contract, turn) for contract, turn in signed_contracts(table)]
    events += _turn_events(evaluated)
    events.sort(key=lambda event: (event["turn"], _ORDER.index(event["kind"])))
    return [*events, *_settlement_events(table)]


def said_event(said: PublicMessage, written: Mapping[str, Any]) -> dict[str, Any]:
    """Return a public message as an event, with its deal in words or its claimed part, if any.

    Args:
        said: the message.
        written: the table, or the update that contains the message.
    """
    event: dict[str, Any] = {"kind": "said", **said}
    if said["act"] == "claim" and said["by"] in (claims := written.get("claims") or {}):
        event["part"] = claims[said["by"]]
    if "deal" in said:
        deal = Deal.of(said["deal"])
        event["deal"] = {"text": deal.text().splitlines(), "hash": deal.hash()}
    return event


def signed_contracts(table: Table) -> list[tuple[Contract, int]]:
    """Return every contract of a run, rebuilt from the talk, with its first turn in force."""
    latest = table.get("contract")
    if latest is None:
        return []
    offers = agreed_offers(table, "plan")
    chain = rebuilt(offers)
    found = [(contract, turn) for contract, (_, turn) in zip(chain, offers, strict=True)]
    for n, (contract, _) in enumerate(found, start=1):
        if contract == latest:
            # Later offers may be agreed in the talk already, but are not signed yet.
            return found[:n]
    # If the talk has no offers that give this contract, return it alone.
    return [(latest, max((term["from_turn"] for term in latest["terms"]), default=1))]


def _signing_event(contract: Contract, turn: int) -> dict[str, Any]:
    return {
        "kind": "signed",
        "turn": turn,
        "hash": contract["hash"],
        "previous": contract["previous"],
        "by": sorted(contract["signatures"]),
        "text": contract["text"].splitlines(),
    }


def _turn_events(evaluated: EvaluatedTable) -> list[dict[str, Any]]:
    monitor = evaluated.signed.monitor
    return [
        {
            "kind": "played",
            **turn,
            "breaches": [
                {"clause": b.clause, "agent": b.agent, "evidence": b.evidence}
                for b in monitor.breaches
                if b.turn == turn["turn"]
            ],
            "due": [
                {"clause": p.clause, "payer": p.payer, "payee": p.payee, "amount": float(p.amount)}
                for p in monitor.payments
                if p.turn == turn["turn"]
            ],
        }
        for turn in evaluated.record
    ]


def _settlement_events(table: Table) -> list[dict[str, Any]]:
    settled = table.get("settlement")
    if not settled:
        return []
    return [
        {
            "kind": "settled",
            "turn": len(table.get("record", [])) + 1,
            "basis": settled["basis"],
            "ledger": settled["ledger"],
            "payoffs": {agent: amount / MICRO for agent, amount in settled["payoffs"].items()},
        }
    ]
