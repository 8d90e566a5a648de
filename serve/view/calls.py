"""What each event cost: the calls of models that led to it, their tokens and their seconds.

Nothing of what was asked or answered is in it, so that it is shown to whoever sees the run.
"""

from collections.abc import Iterable
from typing import Any

from shapley_coop.seats.records import Entry
from shapley_coop.seats.seat import HUMAN
from shapley_coop.serve.view.private import notes
from shapley_coop.state.table import Table

COUNTED = ("input_tokens", "output_tokens", "seconds")


def calls_view(journal: Iterable[Entry], table: Table) -> list[dict[str, Any]]:
    """One row per event and agent: `calls`, `sent_back`, tokens, and the seconds of all its calls.

    `event` is a message by its id, or a turn, as in `turn 3`, that may be yet to come; reasoning
    counts for the message that it led to. People's answers are no calls.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for note in notes(journal, table):
        if note["model"] == HUMAN:
            continue
        blank = {
            "event": note["event"],
            "agent": note["agent"],
            "model": note["model"],
            "calls": 0,
            "sent_back": 0,
            **dict.fromkeys(COUNTED, 0),
        }
        row = found.setdefault((note["event"], note["agent"]), blank)
        row["calls"] += 1
        row["sent_back"] += note["fault"] is not None
        for key in COUNTED:
            row[key] += note[key]
    return list(found.values())
