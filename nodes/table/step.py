"""Step: open the sealed actions and let the game take its turn."""

import asyncio
from typing import Any

from shapley_coop.state import EvaluatedTable, Table
from shapley_coop.state.handover import at_hand
from shapley_coop.state.playing import choices_in, played
from shapley_coop.state.turn import pointers_in, unsound


async def step(table: Table) -> dict[str, Any]:
    """Reveal what was chosen, play it, and enter the turn in the record.

    Verdicts: `refused` (an action was refused, and its author is asked once more) and `played`,
    also where the budget ended the run before the turn.
    """
    if unsound(table):
        return {"verdict": "refused"}
    evaluated = EvaluatedTable(table)
    if evaluated.game.quick and at_hand(pointers_in(table["sealed"])):
        return _played(evaluated)
    return await asyncio.to_thread(_played, evaluated)


def _played(evaluated: EvaluatedTable) -> dict[str, Any]:
    return played(evaluated, choices_in(evaluated))
