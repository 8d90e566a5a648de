"""Faults of a message or a deal, with feedback that tells its author how to correct it."""

from dataclasses import dataclass

from typing_extensions import TypedDict  # pydantic reads it, and asks for this before 3.12

MAX_FEEDBACK = 4_000


class FaultRecord(TypedDict):
    """A fault as plain JSON."""

    label: str
    feedback: str


@dataclass(frozen=True)
class Fault:
    """A refusal: a short label to count by, and feedback that says how to correct it.

    Labels of the wire: SIZE, TEXT, TAG, MPT and MET (no opening / no closing tag), DUP, JSON,
    LONG (longer than what is delivered to all).
    Labels of the protocol: ACK (an offer is unanswered), VOID, STALE. Labels of a deal are
    listed in `deals.language.rules`. Only the author sees the feedback.
    `read` says what was read soundly, in words ("your speech").
    """

    label: str
    feedback: str
    read: tuple[str, ...] = ()

    def record(self) -> FaultRecord:
        """The fault as plain JSON; the feedback is cut at MAX_FEEDBACK characters."""
        return {"label": self.label, "feedback": self.feedback[:MAX_FEEDBACK]}


CUT = Fault("CUT", "Your answer was cut off by its length limit: answer more briefly.")
"""An answer that reached its length limit: the rest of it is not read."""
