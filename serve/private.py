"""The operator's view: what agents thought, and what was sent back to them."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from seats import Entry
from seats.letters import facts

ACTS = {"reason": -1, "act": 1}
"""One reasons before one talks, and acts after it."""


def notes(journal: Iterable[Entry]) -> list[dict[str, Any]]:
    """Every answer that a seat gave, by agent in the order of their turns and attempts.

    A refused draft has its `fault`: the complaint that the next letter brought back.
    """
    found = [_note(entry) for entry in journal]
    found.sort(key=_order)
    for note, later in pairwise(found):
        if _asked(note) == _asked(later) and later["attempt"] == note["attempt"] + 1:
            note["fault"] = later.pop("complaint")
    for note in found:
        note.pop("complaint", None)
    return found


def _note(entry: Entry) -> dict[str, Any]:
    known = facts(entry.letter_text)
    return {
        "agent": entry.agent,
        "act": entry.act,
        "turn": known.get("turn"),
        "round": known.get("round", 0),
        "attempt": entry.attempt,
        "model": entry.model,
        "text": entry.answer.text,
        "letter": entry.letter_text,
        "seconds": entry.answer.seconds,
        "fault": None,
        "complaint": known.get("fault"),
    }


def _order(note: dict[str, Any]) -> tuple[Any, ...]:
    # The letters of the last bargaining name no turn: all have been played.
    turn = float("inf") if note["turn"] is None else note["turn"]
    return note["agent"], turn, ACTS.get(note["act"], 0), note["round"], note["attempt"]


def _asked(note: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(note[key] for key in ("agent", "act", "turn", "round"))
