"""The escrow of a run: every party's deposit, and whether it was forfeited or returned."""

from typing import Any

from shapley_coop.amounts import MICRO, to_micro
from shapley_coop.state.evaluated import EvaluatedTable


def escrow_view(evaluated: EvaluatedTable) -> dict[str, Any] | None:
    """Return each party's deposit: held, forfeited (when, by which clause, to whom) or returned.

    Return None if the run has no escrow or no signed contract. A party forfeits its deposit
    at its first breach. The settlement returns all other deposits.
    """
    signed = evaluated.signed
    if signed.contract is None or signed.enforcement.mode != "escrow":
        return None
    postings = signed.postings(over=evaluated.table.get("settlement") is not None)
    owner = {p.clause: p.moves[0].payer for p in postings if p.kind == "deposit"}
    released = {owner[p.clause]: p.moves for p in postings if p.kind == "release"}
    # If a party first breaches several clauses in one turn, the last counts, as in the ledger.
    breaches = sorted(signed.monitor.breaches, key=lambda breach: -breach.turn)
    first = {breach.agent: breach for breach in breaches}
    parties = []
    for agent in owner.values():
        breach, moves = first.get(agent), released.get(agent, ())
        left = "forfeited" if breach else "returned"
        parties.append(
            {
                "agent": agent,
                "is": left if moves else "held",
                "turn": breach.turn if breach else None,
                "clause": breach.clause if breach else None,
                "to": {move.payee: move.amount / MICRO for move in moves},
            }
        )
    deposit, held = to_micro(signed.deposit), sum(party["is"] == "held" for party in parties)
    return {"deposit": deposit / MICRO, "held": deposit * held / MICRO, "parties": parties}
