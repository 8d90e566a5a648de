"""Faults of a message or a deal, with feedback that tells its author how to correct it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict  # pydantic reads it, and asks for this before 3.12

MAX_FEEDBACK = 4_000
MAX_FAULTS = 12
"""So many faults of one answer are told at once."""


class FaultRecord(TypedDict):
    """A fault as plain JSON."""

    label: str
    feedback: str
    read: NotRequired[list[str]]


@dataclass(frozen=True)
class Fault:
    """A refusal: a short label to count by, and feedback that says how to correct it.

    `deals.language.labels` lists the labels. Only the author sees the feedback.

    Attributes:
        label: of the first fault, where the answer has several.
        feedback: all faults in words; where there are several, one on a line of its own each.
        read: what of the answer was read soundly, in words: "your speech", "clauses 1–3".
    """

    label: str
    feedback: str
    read: tuple[str, ...] = ()

    def record(self) -> FaultRecord:
        """Return the fault as plain JSON; the feedback is cut at MAX_FEEDBACK characters."""
        told: FaultRecord = {"label": self.label, "feedback": self.feedback[:MAX_FEEDBACK]}
        return {**told, "read": list(self.read)} if self.read else told


def together(faults: Iterable[Fault | None]) -> Fault | None:
    """Return all faults of one answer as one, labelled by the first; None if there is none.

    >>> together([None, Fault("NAME", "Eve is no party."), Fault("PAY", "Give more than 0.")])
    Fault(label='NAME', feedback='- Eve is no party.\\n- Give more than 0.', read=())
    """
    found = [fault for fault in faults if fault is not None]
    if not found:
        return None
    lines = list(dict.fromkeys(line for fault in found for line in _lines(fault.feedback)))
    read = tuple(dict.fromkeys(part for fault in found for part in fault.read))
    return Fault(found[0].label, list_faults(lines), read)


def _lines(feedback: str) -> list[str]:
    """The faults of a list; a single one may quote line breaks."""
    if not feedback.startswith("- "):
        return [feedback]
    return [line.removeprefix("- ") for line in feedback.split("\n")]


def list_faults(lines: list[str]) -> str:
    """Faults in words: one as it is, several as a list, a line each whatever they quote."""
    if len(lines) == 1:
        return lines[0]
    lines = [" ".join(line.split()) for line in lines]
    more = [f"- and {len(lines) - MAX_FAULTS} more of the kind."] if len(lines) > MAX_FAULTS else []
    return "\n".join([*(f"- {line}" for line in lines[:MAX_FAULTS]), *more])


REFUSED = Fault(
    "REF", "You declined to answer: answer in the form that is asked for, or pass by it."
)
"""A model that refuses, in its provider's own way of saying so."""

FILTERED = Fault("FIL", "A content filter kept your answer back: say it in other words.")
"""An answer of which a provider's filter delivered nothing, or a part."""

CUT = Fault("CUT", "Your answer was cut off by its length limit: answer more briefly.")
"""An answer that reached its length limit: the rest of it is not read."""
