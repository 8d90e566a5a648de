"""The contract in words, with the state of each clause at each turn."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.compiled import CompiledClause
from shapley_coop.deals.enforcement import MEANS
from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.monitor import Monitor, Verdict
from shapley_coop.games import Turn
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.timeline import signed_contracts

Verdicts = dict[str, Verdict]
"""Id of a clause → the monitor's verdict: satisfied, violated or pending."""

Marks = dict[tuple[str, int], tuple[str, str]]
"""(Clause's id, turn) → the clause's mark at that turn (such as `kept`), and a note on it."""


def contract_view(evaluated: EvaluatedTable) -> dict[str, Any] | None:
    """Return the latest contract with all past and present clauses, or None if there is none.

    At a turn a clause is `kept`, `broken`, `due` (a payment or a gift), `idle` (it required
    nothing) or `out` (not in force). The monitor's verdict on the clause after that turn uses the
    contract in force then. The verdict is None for turns before the clause was signed.
    """
    contract, game, signed = evaluated.contract, evaluated.game, evaluated.signed
    if contract is None:
        return None
    marks, verdicts = _marks(signed.monitor), _verdicts(evaluated)
    unplayed = Monitor(contract, game.open_turns).verdicts(game.turns)
    return {
        "hash": contract["hash"],
        "previous": contract["previous"],
        "signatures": sorted(contract["signatures"]),
        "means": MEANS[signed.enforcement.mode],
        "clauses": [
            {
                "id": each.cid,
                **in_words(each.clause),
                "from_turn": each.first,
                "to_turn": each.last,
                "turns": _turns(each, evaluated.record, marks, verdicts),
                "at_signing": unplayed[each.cid],
            }
            for each in signed.monitor.clauses
        ],
        "judge": _judge_view(evaluated),
    }


def in_words(clause: Clause) -> dict[str, Any]:
    """Return a clause as the page shows it: its kind, its norm (if any), its sentence."""
    norm = clause.split.norm if clause.split else None
    return {"kind": clause.kind, "norm": norm, "text": clause.words()}


def _marks(monitor: Monitor) -> Marks:
    """Return each clause's mark at each turn; `broken` replaces `due`, and both replace `kept`."""
    marks: Marks = {
        (duty.clause, turn["turn"]): ("kept", f"{duty.agent} kept it")
        for turn, asked in zip(monitor.turns, monitor.asked, strict=True)
        for duty in asked
    }
    for payment in monitor.payments:
        owed = f"{payment.payer} owes {payment.payee} {plain(payment.amount)}"
        marks[payment.clause, payment.turn] = ("due", owed)
    for given in monitor.handovers:
        handed = f"{given.giver} gives {given.receiver} {given.quantity} {given.good}"
        marks[given.clause, given.turn] = ("due", handed)
    for breach in monitor.breaches:
        marks[breach.clause, breach.turn] = ("broken", breach.evidence)
    return marks


def _verdicts(evaluated: EvaluatedTable) -> list[Verdicts]:
    """Return the verdicts on all clauses after each turn, by the contract in force at that turn.

    The latest contract would give wrong verdicts, as it may end clauses that were in force.
    """
    game, record = evaluated.game, evaluated.record
    signed = signed_contracts(evaluated.table)
    found: list[Verdicts] = [{} for _ in record]
    ends = [*(first - 1 for _, first in signed[1:]), len(record)]
    for (contract, first), last in zip(signed, ends, strict=True):
        monitor = Monitor(contract, game.open_turns).on(record[: first - 1])
        for at, turn in enumerate(record[first - 1 : last], start=first):
            monitor.observe(turn)
            ended = at == len(record) and evaluated.over
            found[at - 1] = monitor.verdicts(game.turns, ended)
    return found


def _turns(
    each: CompiledClause, record: Sequence[Turn], marks: Marks, verdicts: Sequence[Verdicts]
) -> list[dict[str, Any]]:
    turns = []
    for turn, stood in zip(record, verdicts, strict=True):
        number = turn["turn"]
        unmarked = "idle" if each.stands(number) else "out", ""
        mark, note = marks.get((each.cid, number), unmarked)
        turns.append({"turn": number, "is": mark, "note": note, "verdict": stood.get(each.cid)})
    return turns


def _judge_view(evaluated: EvaluatedTable) -> dict[str, Any] | None:
    """Return the judge model's verdicts and their agreement with the monitor's, or None."""
    audit = (evaluated.table.get("settlement") or {}).get("audit") or {}
    if not audit.get("judge"):
        return None
    return {"verdicts": audit["judge"], "agreement": float(Fraction(audit["agreement"]))}
