"""The operator's view: what agents thought, and what was sent back to them."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from shapley_coop.seats.letters import events, facts
from shapley_coop.seats.records import Entry
from shapley_coop.state import PublicMessage, Table

ACTS = {"reason": -1, "consider": -1}
"""One thinks before one speaks."""


def notes(journal: Iterable[Entry], table: Table) -> list[dict[str, Any]]:
    """Every answer that a seat gave, in the order in which they were asked for.

    A note names in `event` what came of it: a message by its id, or a turn, as in `turn 3`, which
    may be still to come. A refused draft has its `fault`: the complaint that the next letter
    brought back.
    """
    asked = sorted((_asked(entry, table.get("talk", [])) for entry in journal), key=_order)
    for (_, note, _), (_, later, complaint) in pairwise(asked):
        if later["attempt"] == note["attempt"] + 1:
            note["fault"] = complaint
    return [note for _, note, _ in asked]


Asked = tuple[int, dict[str, Any], Any]
"""How much had happened when it was asked, the note, and the complaint its letter brought back."""


def _asked(entry: Entry, talk: Sequence[PublicMessage]) -> Asked:
    happened, known = events(entry.letter_text), facts(entry.letter_text)
    heard = sum("by" in line for line in happened)
    said = next((said["id"] for said in talk[heard:] if said["by"] == entry.agent), None)
    note = {
        "agent": entry.agent,
        "act": entry.act,
        "event": f"turn {known['turn']}" if entry.act == "act" else said,
        "attempt": entry.attempt,
        "model": entry.model,
        "text": entry.answer.text,
        "letter": entry.letter_text,
        "seconds": entry.answer.seconds,
        "fault": None,
    }
    return len(happened), note, known.get("fault")


def _order(asked: Asked) -> tuple[Any, ...]:
    happened, note, _ = asked
    return happened, ACTS.get(note["act"], 0), note["agent"], note["act"], note["attempt"]
