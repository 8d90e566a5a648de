"""An audit of a contract: verdicts, breaches, duties kept, and payments that fell due."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.contract import Contract
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.monitor import Monitor
from shapley_coop.deals.written.judgement import agreement, read_judgement
from shapley_coop.escaping import visible
from shapley_coop.games import Turn
from shapley_coop.games.open_turns import OpenTurns, always_open


def audit(
    agreed: Contract | Deal | None,
    record: Sequence[Turn],
    turns: int,
    over: bool = True,
    judged: str | None = None,
    open_turns: OpenTurns = always_open,
) -> dict[str, Any]:
    """Return the audit of a record under a contract: plain JSON with exact amounts as strings.

    Args:
        agreed: a contract with all its amendments, a deal in force from turn 1 on, or None.
        record: the turns played, in a run of this application or elsewhere.
        turns: the largest number of turns of the game.
        over: whether no turn follows the record.
        judged: a judge's answer, or None if no judge was asked.
        open_turns: the turns at which an action can be taken (`Game.open_turns`).

    Returns:
        `verdicts` by clause (satisfied, violated, pending), `breaches` with their evidence,
        the numbers of `duties` kept and owed, `payments` that fell due, the verdicts of the
        `judge`, and the `agreement`: the fraction of clauses on which judge and monitor agree.
    """
    monitor = Monitor(agreed, open_turns).on(record)
    verdicts = monitor.verdicts(turns, over)
    judge = read_judgement(judged, verdicts) if judged is not None else None
    if isinstance(judge, Fault):
        judge = None
    return {
        "clauses": {term.cid: term.clause.words() for term in monitor.clauses},
        "verdicts": verdicts,
        "breaches": [asdict(breach) for breach in monitor.breaches],
        "duties": {"kept": monitor.owed - len(monitor.breaches), "owed": monitor.owed},
        "payments": [
            {**asdict(payment), "amount": plain(payment.amount)} for payment in monitor.payments
        ],
        "judge": judge,
        "agreement": None if judge is None else plain(agreement(verdicts, judge)),
    }


def audit_in_words(found: dict[str, Any]) -> str:
    """Return an audit in words, with one line for each clause, breach and payment."""
    duties = found["duties"]
    lines = [f"{duties['kept']} of {duties['owed']} duties were kept."]
    lines += [f"{cid} {found['verdicts'][cid]}: {said}" for cid, said in found["clauses"].items()]
    lines += [
        f"Breach of {b['clause']} by {b['agent']}, {b['evidence']}" for b in found["breaches"]
    ]
    lines += [
        f"Due by {p['clause']} at turn {p['turn']}: {p['payer']} pays {p['payee']} {p['amount']}"
        for p in found["payments"]
    ]
    if found["judge"] is not None:
        lines.append(f"The judge agrees on {found['agreement']} of the clauses.")
    return "\n".join(map(visible, lines))
