"""The letters of the talk over tasks: what they show, and the words for it."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.extensions.exchange.talk import talk_of, trade_talk
from shapley_coop.prompts.render import are_tags_left_out
from shapley_coop.prompts.words import plain, table
from shapley_coop.state.turn import TurnContext
from shapley_coop.state.view import enforcement

Facts = Mapping[str, Any]


def shown(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the facts about the talk in which all agents take part, and how a deal is enforced."""
    talk = trade_talk(talk_of(turn), turn.table["round"], agent)
    return {**talk, **enforcement(turn, agent)}


def history(turn: TurnContext) -> list[dict[str, Any]]:
    """Return the lines of the talk in which all agents take part."""
    return talk_of(turn).history()


def in_words(view: Facts) -> dict[str, Any]:
    """Return the variables on the talk over tasks."""
    pending = view.get("pending") or {}
    yours = f"Your part {_worth(pending)}" if "your_utility" in pending else ""
    turns = view.get("turns", 0)
    held = view["held"]
    return {
        "held": f"What you hold now ({held['mask']}) {_worth(held)}",
        "pending_by": plain(pending.get("by", "")),
        "pending": yours,
        "final": view.get("final", False),
        "last_turn": "turn" in view and "turns" in view and view["turn"] >= turns,
        "proposal": "`<PROPOSAL>`",
        "with_whom": "",
        "tasks": "",
        "kept": "everybody keeps its initial tasks",
        "bound": _bound(view["enforcement"]) if "enforcement" in view else "",
    }


def _bound(terms: Facts) -> str:
    """Return what a deal asks of each agent besides the trade, and what a breach costs.

    >>> _bound({"mode": "escrow", "deposit": "0.2"}).partition(": ")[2]
    'the first breach costs the deposit of 0.2.'
    """
    costs = "all see it, and it costs nothing"
    if terms["mode"] == "escrow":
        known = "" if terms["deposit"] == "auto" else f" of {terms['deposit']}"
        costs = f"the first breach costs the deposit{known}"
    return f"{_DUTIES}: {costs}."


_DUTIES = (
    "A deal, also one without a trade, asks each to do all tasks that it then holds, each at a set "
    "turn; doing only some breaks it"
)


def _worth(known: Facts) -> str:
    """Return what a set of tasks is worth to the reader, and what a better part of it is worth.

    >>> _worth({"your_utility": 0.58, "best": {"mask": "010", "your_utility": 0.9655}})
    'is worth 0.58 to you, and 0.966 if you do only 010.'
    """
    best = known.get("best")
    part = f", and {best['your_utility']:.3g} if you do only {best['mask']}" if best else ""
    return f"is worth {known['your_utility']:.3g} to you{part}."


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
