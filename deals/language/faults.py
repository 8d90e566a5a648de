"""What is wrong with a message or a deal, told so that its author can mend it."""

from dataclasses import dataclass

from typing_extensions import TypedDict  # pydantic reads it, and asks for this before 3.12

MAX_FEEDBACK = 4_000


class FaultRecord(TypedDict):
    """A fault as plain JSON."""

    label: str
    feedback: str


@dataclass(frozen=True)
class Fault:
    """A refusal: a short label to count by, and feedback that names the mend.

    Labels of the wire: SIZE, TEXT, TAG, MPT and MET (no opening / no closing tag), DUP, JSON,
    LONG (more than all can be made to read).
    Labels of the protocol: ACK (an offer stands unanswered), VOID, STALE. Labels of a deal are
    listed in `deals.language.rules`. The author alone ever sees the feedback.
    """

    label: str
    feedback: str

    def record(self) -> FaultRecord:
        """The fault as plain JSON; what it quotes cannot make a letter long."""
        return {"label": self.label, "feedback": self.feedback[:MAX_FEEDBACK]}


CUT = Fault("CUT", "Your answer was cut off by its length limit: answer more briefly.")
"""An answer that ended at its length limit: what is left of it is not read."""
