"""The node that opens sealed actions and plays a turn, and functions that choose what follows."""

from typing import Any

from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.playing import choices_in, play_turn
from shapley_coop.state.table import Table


def step(table: Table) -> dict[str, Any]:
    """Reveal the chosen actions, play them, and add the turn to the record.

    Verdict: `played`, also if the budget ended the run before the turn.
    """
    evaluated = EvaluatedTable(table)
    return play_turn(evaluated, choices_in(evaluated))


def whether_over(table: Table) -> str:
    """Return `over` if the play has ended, or else `play_on`."""
    evaluated = EvaluatedTable(table)
    return "over" if evaluated.budget_spent or evaluated.over else "play_on"


def how_it_goes_on(table: Table) -> str:
    """Return `due` if a new bargaining must come next, or else what `whether_over` says."""
    found = whether_over(table)
    return "due" if found == "play_on" and _renegotiation_is_due(EvaluatedTable(table)) else found


def _renegotiation_is_due(evaluated: EvaluatedTable) -> bool:
    """Return whether the setting `renegotiate` demands a new bargaining after the latest turn."""
    latest = evaluated.record[-1]
    match evaluated.config.renegotiate.split():
        case ["every", turns]:
            return latest["turn"] % int(turns) == 0
        case ["on_breach"]:
            return any(
                breach.turn == latest["turn"] for breach in evaluated.signed.monitor.breaches
            )
        case _:
            return False
