"""The node that opens sealed actions and plays a turn, and functions that choose what follows."""

from typing import Any

from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.playing import choices_in, play_turn
from shapley_coop.state.table import Table
from shapley_coop.state.turn import unsound


def step(table: Table) -> dict[str, Any]:
    """Reveal the chosen actions, play them, and add the turn to the record.

    Verdicts: `refused` (an action was refused, and its author is asked again) and `played`, also
    if the budget ended the run before the turn.
    """
    if unsound(table):
        return {"verdict": "refused"}
    evaluated = EvaluatedTable(table)
    return play_turn(evaluated, choices_in(evaluated))


def whether_over(table: Table) -> str:
    """Return `refused` if an action was refused, `over` if the play has ended, or `play_on`."""
    if table["verdict"] == "refused":
        return "refused"
    evaluated = EvaluatedTable(table)
    return "over" if evaluated.budget_spent or evaluated.over else "play_on"


def how_it_goes_on(table: Table) -> str:
    """Return `due` if a new bargaining must come before the next turn, or else `whether_over`."""
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
        case ["on_shock"]:
            return any(effect.get("shock") for effect in latest.get("effects", []))
        case _:
            return False
