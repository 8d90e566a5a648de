"""The letters of the talk over tasks: what they show, and the words for it."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.extensions.exchange.talk import talk_of, trade_talk
from shapley_coop.prompts.render import are_tags_left_out
from shapley_coop.prompts.words import plain, table
from shapley_coop.state.turn import TurnContext

Facts = Mapping[str, Any]


def shown(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the facts about the talk in which all agents take part."""
    return trade_talk(talk_of(turn), turn.table["round"], agent)


def history(turn: TurnContext) -> list[dict[str, Any]]:
    """Return the lines of the talk in which all agents take part."""
    return talk_of(turn).history()


def in_words(view: Facts) -> dict[str, Any]:
    """Return the variables on the talk over tasks."""
    pending = view.get("pending") or {}
    worth = pending.get("your_utility")
    yours = f"Your part is worth {worth:.3g} to you." if worth is not None else ""
    turns = view.get("turns", 0)
    held = view["held"]
    now = f"What you hold now ({held['mask']}) is worth {held['your_utility']:.3g} to you."
    return {
        "held": now,
        "pending_by": plain(pending.get("by", "")),
        "pending": yours,
        "last_turn": "turn" in view and "turns" in view and view["turn"] >= turns,
        "with_whom": "",
        "tasks": "",
        "kept": "everybody keeps its initial tasks",
    }


def values(worths: Mapping[str, float]) -> str:
    """Return in words what each task is worth, if utilities are additive."""
    told = ", ".join(f"{task} {x:.3g}" for task, x in worths.items())
    return f"What each task is worth to you (utility), a set being worth the sum: {told}."


def utilities(worths: Mapping[str, float]) -> str:
    """Return in words what each set of tasks is worth; a person is shown the single and best ones.

    A person's form computes what any other set is worth.
    """
    return _for_person(worths) if are_tags_left_out() else by_mask(worths)


def by_mask(worths: Mapping[str, float]) -> str:
    """Return in words what each set of tasks is worth, by the set's mask."""
    told = ", ".join(f"{mask} {x:.3g}" for mask, x in worths.items())
    return f"What each set of tasks is worth to you (utility), by mask: {told}."


def _for_person(worths: Mapping[str, float]) -> str:
    """Return what single tasks and the best sets are worth, as a table.

    >>> print(_for_person({"01": 0.25, "10": 0.5, "11": 1.0}).split("\\n\\n")[1])
    | tasks | worth to you (utility) |
    | --- | --- |
    | 10 | 0.5 |
    | 01 | 0.25 |
    | 11 | 1 |
    """
    ranked = sorted(worths, key=lambda mask: -worths[mask])
    single = [mask for mask in ranked if mask.count("1") == 1]
    best = [mask for mask in ranked if mask.count("1") > 1][:_BEST]
    rows = [(mask, f"{worths[mask]:.3g}") for mask in single + best]
    return f"{_OF_SETS}\n\n{table(('tasks', 'worth to you (utility)'), rows)}"


_BEST = 3
"""The most sets of tasks that a person's letter lists."""

_OF_SETS = (
    "What each task alone, and the best sets of tasks, are worth to you. A set is not worth the "
    "sum of its tasks; the form shows what any set is worth."
)
