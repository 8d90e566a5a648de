"""Faults of a message or a deal, with feedback that tells the author how to correct them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict  # pydantic needs this TypedDict before Python 3.12

MAX_FEEDBACK = 4_000
MAX_FAULTS = 12
"""The largest number of faults listed in the feedback on one answer."""


class FaultRecord(TypedDict):
    """A fault as plain JSON."""

    label: str
    feedback: str
    read: NotRequired[list[str]]


@dataclass(frozen=True)
class Fault:
    """A refusal of an answer: a short label for statistics, and feedback on how to correct it.

    `deals.language.labels` lists the labels. Only the author sees the feedback.

    Attributes:
        label: the label of the first fault, if the answer has several.
        feedback: all faults in words; several faults are a list, one a line.
        read: the parts of the answer that have no fault, in words: "your speech", "clauses 1–3".
    """

    label: str
    feedback: str
    read: tuple[str, ...] = ()

    @property
    def in_a_line(self) -> str:
        """The feedback in one line."""
        return " ".join(_lines(self.feedback))

    def record(self) -> FaultRecord:
        """Return the fault as plain JSON; the feedback is cut at MAX_FEEDBACK characters."""
        told: FaultRecord = {"label": self.label, "feedback": self.feedback[:MAX_FEEDBACK]}
        return {**told, "read": list(self.read)} if self.read else told


def together(faults: Iterable[Fault | None]) -> Fault | None:
    """Return the faults of one answer as one fault with the first label; None if there are none.

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
    """Return the lines of a list of faults; a single fault stays whole, with its line breaks."""
    if not feedback.startswith("- "):
        return [feedback]
    return [line.removeprefix("- ") for line in feedback.split("\n")]


def list_faults(lines: list[str]) -> str:
    """Return faults as feedback: a single fault unchanged, several faults as a list."""
    if len(lines) == 1:
        return lines[0]
    lines = [" ".join(line.split()) for line in lines]
    more = [f"- and {len(lines) - MAX_FAULTS} more of the kind."] if len(lines) > MAX_FAULTS else []
    return "\n".join([*(f"- {line}" for line in lines[:MAX_FAULTS]), *more])


REFUSED = Fault(
    "REF", "You declined to answer: answer in the form that is asked for, or pass by it."
)
"""The fault if the provider reports that the model refused to answer."""

FILTERED = Fault("FIL", "A content filter kept your answer back: say it in other words.")
"""The fault if a provider's content filter withheld the answer or a part of it."""

CUT = Fault("CUT", "Your answer was cut off by its length limit: answer more briefly.")
"""The fault if an answer was cut off at its length limit. The answer is not read."""
