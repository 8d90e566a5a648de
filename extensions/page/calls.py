"""The cost of each event: the model calls that led to the event, their tokens and seconds.

Costs show no text of letters or answers, so everybody who may see the run may see them.
"""

from collections.abc import Iterable
from typing import Any

from shapley_coop.extensions.page.private import notes
from shapley_coop.seats.records import Entry
from shapley_coop.seats.seat import HUMAN
from shapley_coop.state.asking import ONLY_ONE
from shapley_coop.state.table import Table

COUNTED = ("input_tokens", "output_tokens", "seconds")


def calls_view(journal: Iterable[Entry], table: Table) -> list[dict[str, Any]]:
    """Return one row per event and agent, with its `calls`, refused answers, tokens and seconds.

    `event` is a message's id, or a turn such as `turn 3`, even before that turn is played. A call
    for private reasoning counts for the next message. Answers of people do not count as calls, and
    neither do actions that the program took without a letter.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for note in notes(journal, table):
        unsent = note["text"].startswith(ONLY_ONE) and not note["input_tokens"]
        if unsent or note["model"] == HUMAN:
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
