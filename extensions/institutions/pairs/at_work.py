"""How an embedded agent reads a letter of the work after meetings."""

from typing import Any

from shapley_coop.games.exchange.market import WAIT
from shapley_coop.games.turns import Turn


def reading(facts: dict[str, Any], record: list[Turn]) -> tuple[dict[str, Any], list[Turn]]:
    """Return the letter's facts as an exchange of its reader's own tasks: it knows of no others."""
    tasks = [action for action in facts["legal"] if action != WAIT]
    atoms = [{"action": task, "says": task} for task in tasks]
    nothing = "0" * len(tasks)
    return {**facts, "atoms": atoms, "initial": dict.fromkeys(facts["agents"], nothing)}, record
