"""The contract in words, and how each clause fared at each turn."""

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from deals import (
    Clause,
    Contract,
    Term,
    contract_breaches,
    contract_duties,
    contract_payments,
    sentence,
)
from deals.amounts import plain
from games import Turn
from state import Table

_clause: TypeAdapter[Clause] = TypeAdapter(Clause)


def contract_view(table: Table) -> dict[str, Any] | None:
    """The contract that stands, with every clause that ever did; None without one.

    At a turn a clause is `kept`, `broken`, `due` (a payment), `idle` (it asked nothing) or `out`
    (not in force).
    """
    contract = table.get("contract")
    if contract is None:
        return None
    record = table.get("record", [])
    marks = _marks(contract, record)
    return {
        "hash": contract["hash"],
        "previous": contract["previous"],
        "signatures": sorted(contract["signatures"]),
        "clauses": [_clause_view(term, record, marks) for term in contract["terms"]],
    }


Marks = dict[tuple[str, int], tuple[str, str]]
"""Clause and turn → its mark and what there is to say about it."""


def _marks(contract: Contract, record: Sequence[Turn]) -> Marks:
    """Later ones win: a duty that was broken is not kept."""
    marks: Marks = {
        (duty.clause, turn["turn"]): ("kept", f"{duty.agent} kept it")
        for n, turn in enumerate(record)
        for duty in contract_duties(contract, record[:n], turn["turn"])
    }
    for payment in contract_payments(contract, record):
        owed = f"{payment.payer} owes {payment.payee} {plain(payment.amount)}"
        marks[payment.clause, payment.turn] = ("due", owed)
    for breach in contract_breaches(contract, record):
        marks[breach.clause, breach.turn] = ("broken", breach.evidence)
    return marks


def _clause_view(term: Term, record: Sequence[Turn], marks: Marks) -> dict[str, Any]:
    clause = _clause.validate_python(term["clause"])
    turns = []
    for turn in record:
        number, last = turn["turn"], term["to_turn"]
        stands = term["from_turn"] <= number and (last is None or number <= last)
        mark, note = marks.get((term["id"], number), ("idle" if stands else "out", ""))
        turns.append({"turn": number, "is": mark, "note": note})
    return {
        "id": term["id"],
        "kind": clause.kind,
        "text": sentence(clause),
        "from_turn": term["from_turn"],
        "to_turn": term["to_turn"],
        "turns": turns,
    }
