"""The conversion of letters about the work that follows all meetings, for embedded agents."""

from typing import Any

from shapley_coop.extensions.exchange.domain.market import WAIT
from shapley_coop.games.turns import Turn


def reading(facts: dict[str, Any], record: list[Turn]) -> tuple[dict[str, Any], list[Turn]]:
    """Return the facts with the reader's tasks as the only atoms, and the unchanged record."""
    tasks = [action for action in facts["legal"] if action != WAIT]
    atoms = [{"action": task, "says": task} for task in tasks]
    nothing = "0" * len(tasks)
    return {**facts, "atoms": atoms, "initial": dict.fromkeys(facts["agents"], nothing)}, record
