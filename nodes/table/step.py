"""Step: open the sealed actions and let the game take its turn."""

from typing import Any

from shapley_coop.state import EvaluatedTable, Table
from shapley_coop.state.playing import choices_in, played
from shapley_coop.state.turn import unsound


def step(table: Table) -> dict[str, Any]:
    """Reveal what was chosen, play it, and enter the turn in the record.

    Verdicts: `refused` (an action was refused, and its author is asked once more) and `played`,
    also where the budget ended the run before the turn.
    """
    if unsound(table):
        return {"verdict": "refused"}
    evaluated = EvaluatedTable(table)
    return played(evaluated, choices_in(evaluated))
