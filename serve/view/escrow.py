"""The deposits in escrow: held, forfeited or returned."""

from typing import Any

from shapley_coop.amounts import MICRO, to_micro
from shapley_coop.deals import contract_breaches
from shapley_coop.deals.analysis.certificate import deposit_of
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.enforcement import Enforcement, escrow
from shapley_coop.state import Table, game_of


def escrow_view(table: Table) -> dict[str, Any] | None:
    """Each party's deposit: held, forfeited (when, by which clause, to whom) or returned.

    None without a contract, or without escrow. The first breach forfeits a deposit; the settlement
    returns the others.
    """
    contract, terms = table.get("contract"), Enforcement.of(table["settings"])
    if contract is None or terms.mode != "escrow":
        return None
    game, record = game_of(table["settings"]), table.get("record", [])
    deposit = to_micro(deposit_of(contract, facts_of(game), terms, record))
    over = table.get("settlement") is not None
    postings = escrow(contract, record, game.agents, deposit, over)
    owner = {p.clause: p.moves[0].payer for p in postings if p.kind == "deposit"}
    released = {owner[p.clause]: p.moves for p in postings if p.kind == "release"}
    # Of several breaches in one turn, the one that the ledger names.
    breaches = sorted(contract_breaches(contract, record), key=lambda breach: -breach.turn)
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
