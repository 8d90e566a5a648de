"""What is at stake beside the payments: every party's deposit, and what became of it."""

from typing import Any

from shapley_coop.amounts import MICRO, to_micro
from shapley_coop.deals.agreement import Agreement
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.state import Table, game_of


def escrow_view(table: Table) -> dict[str, Any] | None:
    """A deposit of each party: held, forfeited (when, by which clause, to whom) or returned.

    None where contracts are enforced otherwise, or none is signed. A deposit is forfeited at the
    first breach, and returned by the settlement.
    """
    contract, terms = table.get("contract"), Enforcement.of(table["settings"])
    if contract is None or terms.mode != "escrow":
        return None
    facts = facts_of(game_of(table["settings"]))
    signed = Agreement(contract, table.get("record", []), facts, terms)
    deposit = to_micro(signed.deposit)
    postings = signed.postings(over=table.get("settlement") is not None)
    owner = {p.clause: p.moves[0].payer for p in postings if p.kind == "deposit"}
    released = {owner[p.clause]: p.moves for p in postings if p.kind == "release"}
    # The same one that the ledger names, where several are broken in one turn.
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
    held = deposit * sum(party["is"] == "held" for party in parties)
    return {"deposit": deposit / MICRO, "held": held / MICRO, "parties": parties}
