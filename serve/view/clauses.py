"""The contract in words, with the state of each clause at each turn."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pydantic import TypeAdapter

from shapley_coop.amounts import plain
from shapley_coop.deals import (
    Clause,
    Contract,
    Share,
    Term,
    contract_breaches,
    contract_duties,
    contract_payments,
    sentence,
)
from shapley_coop.deals.enforcement import MEANS, Enforcement
from shapley_coop.deals.monitor import Verdict, monitor_of
from shapley_coop.games import Turn
from shapley_coop.serve.view.timeline import signed_contracts
from shapley_coop.state import Table, game_of

_clause: TypeAdapter[Clause] = TypeAdapter(Clause)

Verdicts = dict[str, Verdict]
"""Clause → its verdict."""

Marks = dict[tuple[str, int], tuple[str, str]]
"""(Clause, turn) → its mark, and a note on it."""


def contract_view(table: Table) -> dict[str, Any] | None:
    """The contract in force, with every clause it ever had; None without one.

    At a turn a clause is `kept`, `broken`, `due` (a payment), `idle` (it required nothing) or
    `out` (not in force). Its verdict after the turn, by the monitor under the contract of that
    time, is `satisfied`, `violated` or `pending`; None before it was signed.
    """
    contract = table.get("contract")
    if contract is None:
        return None
    record, game = table.get("record", []), game_of(table["settings"])
    marks, verdicts = _marks(contract, record), _verdicts(table)
    unplayed = monitor_of(contract, []).verdicts(game.turns, game.actions)
    return {
        "hash": contract["hash"],
        "previous": contract["previous"],
        "signatures": sorted(contract["signatures"]),
        "means": MEANS[Enforcement.of(table["settings"]).mode],
        "clauses": [
            {**_clause_view(term, record, marks, verdicts), "at_signing": unplayed[term["id"]]}
            for term in contract["terms"]
        ],
        "judge": _judged(table),
    }


def in_words(clause: Clause) -> dict[str, Any]:
    """A clause's kind, norm and sentence."""
    norm = clause.norm if isinstance(clause, Share) else None
    return {"kind": clause.kind, "norm": norm, "text": sentence(clause)}


def _marks(contract: Contract, record: Sequence[Turn]) -> Marks:
    """The mark of each clause and turn; later ones overwrite: a broken duty is not kept."""
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


def _verdicts(table: Table) -> list[Verdicts]:
    """The verdict on every clause after each turn, under the contract of that time.

    The latest amendment cannot give it: it ends clauses that were still pending.
    """
    game, record = game_of(table["settings"]), table.get("record", [])
    signed = signed_contracts(table)
    found: list[Verdicts] = [{} for _ in record]
    for n, (contract, first) in enumerate(signed):
        latest = n == len(signed) - 1
        last = len(record) if latest else signed[n + 1][1] - 1
        over = latest and game.over(table["position"])
        for at in range(first, last + 1):
            monitor = monitor_of(contract, record[:at])
            ended = over and at == last
            found[at - 1] = monitor.verdicts(game.turns, game.actions, ended)
    return found


def _clause_view(
    term: Term, record: Sequence[Turn], marks: Marks, verdicts: Sequence[Verdicts]
) -> dict[str, Any]:
    clause, cid = _clause.validate_python(term["clause"]), term["id"]
    turns = []
    for turn, stood in zip(record, verdicts, strict=True):
        number, last = turn["turn"], term["to_turn"]
        stands = term["from_turn"] <= number and (last is None or number <= last)
        mark, note = marks.get((cid, number), ("idle" if stands else "out", ""))
        turns.append({"turn": number, "is": mark, "note": note, "verdict": stood.get(cid)})
    return {
        "id": cid,
        **in_words(clause),
        "from_turn": term["from_turn"],
        "to_turn": term["to_turn"],
        "turns": turns,
    }


def _judged(table: Table) -> dict[str, Any] | None:
    """A judge's verdict on each clause, and the part on which the monitor agrees."""
    audit = (table.get("settlement") or {}).get("audit") or {}
    if not audit.get("judge"):
        return None
    return {"verdicts": audit["judge"], "agreement": float(Fraction(audit["agreement"]))}
