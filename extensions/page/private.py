"""The view for the operator alone: private reasoning and refused drafts."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from shapley_coop.seats.records import BESIDE, Entry
from shapley_coop.state.table import PublicMessage, Table

ACTS = {"reason": -1, "consider": -1}
"""Question's name → its rank among questions asked at the same time; others have rank 0."""


def notes(journal: Iterable[Entry], table: Table) -> list[dict[str, Any]]:
    """Return a note on every answer in the journal, in the order of the letters.

    A note's `event` is the id of the message that followed, or a turn such as `turn 3`. If the
    answer was refused, `fault` is the reason, which the next letter to the agent contains.
    """
    talk = table.get("talk", [])
    asked = sorted(
        (_asking(entry, talk) for entry in journal if entry.act not in BESIDE), key=_order
    )
    for (_, note, _), (_, later, complaint) in pairwise(asked):
        if later["attempt"] == note["attempt"] + 1:
            note["fault"] = complaint
    return [note for _, note, _ in asked]


Asked = tuple[int, dict[str, Any], Any]
"""(Number of events before a letter, note on its answer, fault that the letter reports)."""


def _asking(entry: Entry, talk: Sequence[PublicMessage]) -> Asked:
    known = entry.facts
    happened = known.get("history", [])
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
        "input_tokens": entry.answer.input_tokens,
        "output_tokens": entry.answer.output_tokens,
        "fault": None,
    }
    return len(happened), note, known.get("fault")


def _order(asked: Asked) -> tuple[Any, ...]:
    happened, note, _ = asked
    return happened, ACTS.get(note["act"], 0), note["agent"], note["act"], note["attempt"]
