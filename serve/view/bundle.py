"""One run as one JSON object: what the page shows live, in replay, and in a report.

Everything in it is public at the table, except under `private`, which is the operator's view and
empty unless it is asked for. Amounts are numbers in the game's unit. Texts are plain text: what
agents said is never markup.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.seats.records import Entry
from shapley_coop.serve.view.clauses import contract_view
from shapley_coop.serve.view.credit import credit_view
from shapley_coop.serve.view.escrow import escrow_view
from shapley_coop.serve.view.outcomes import outcome_view, payoff_matrix
from shapley_coop.serve.view.plan import plan_view
from shapley_coop.serve.view.private import notes
from shapley_coop.serve.view.run_summary import story
from shapley_coop.serve.view.timeline import timeline
from shapley_coop.state import Line, Table, config_of, game_of, result
from shapley_coop.state.result import usage

VERSION = 2
"""Of the format: a page shows bundles of its own."""

_NOTHING: dict[str, Any] = {
    "status": "open",
    "agents": [],
    "timeline": [],
    "ledger": {"lines": [], "balances": {}},
    **dict.fromkeys(
        ("contract", "escrow", "matrix", "plan", "outcome", "credit", "cost", "private")
    ),
}
"""A run before its first node."""


@dataclass(frozen=True)
class About:
    """What the register knows of a run, and its table does not.

    Attributes:
        run: its name.
        graph: the workflow.
        created: ISO time.
        state: started, ended or failed.
    """

    run: str
    graph: str
    created: str = ""
    state: str = "started"


def bundle(
    about: About,
    table: Table,
    ledger: Sequence[Line] = (),
    private: Iterable[Entry] | None = None,
) -> dict[str, Any]:
    """Everything there is to see of a run, finished or not.

    Args:
        about: what the register knows.
        table: its latest state; empty before the first checkpoint.
        ledger: the lines of its episode.
        private: the operator's journal of its episode, for the operator alone.
    """
    head = {"bundle": VERSION, **about.__dict__}
    if "settings" not in table:
        return {**head, **_NOTHING, "story": story(_NOTHING)}
    outcome = result(about.run, about.graph, table) if table.get("settlement") else None
    shown = {
        **head,
        **_played(table),
        "timeline": timeline(table),
        "contract": contract_view(table),
        "escrow": escrow_view(table),
        "matrix": payoff_matrix(table),
        "plan": plan_view(table),
        "outcome": outcome and outcome_view(table, outcome),
        "credit": outcome and credit_view(table, outcome),
        "ledger": _ledger(ledger),
        "cost": _cost(table),
        "private": None if private is None else notes(private, table),
    }
    return {**shown, "story": story(shown)}


def _played(table: Table) -> dict[str, Any]:
    room, game = config_of(table["settings"]), game_of(table["settings"])
    name = room.game if isinstance(room.game, str) else str(room.game.get("name", "matrix game"))
    return {
        "status": table["status"],
        "episode": table["episode"],
        "seed": room.seed,
        "agents": table["agents"],
        "seats": {agent: seat.model for agent, seat in room.seats.items()},
        "simulated": any(seat.simulated for seat in room.seats.values()),
        "game": {"name": name, "about": game.summary(), "rules": game.rules(), "turns": game.turns},
    }


def _ledger(lines: Sequence[Line]) -> dict[str, Any]:
    balances: dict[str, int] = {}
    for line in lines:
        balances[line.debit] = balances.get(line.debit, 0) - line.amount
        balances[line.credit] = balances.get(line.credit, 0) + line.amount
    return {
        "lines": [{**line.__dict__, "amount": line.amount / MICRO} for line in lines],
        "balances": {account: amount / MICRO for account, amount in balances.items()},
    }


def _cost(table: Table) -> dict[str, Any]:
    spent = table.get("spent", {})
    phases = [
        {"phase": phase, "seconds": cost.get("seconds", 0.0), "agents": cost.get("agents", {})}
        for phase, cost in spent.items()
    ]
    return {**usage(spent), "phases": phases}
