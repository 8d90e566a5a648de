"""The counts of plays and calls, and how to go on where their limit is reached."""

from dataclasses import dataclass


@dataclass
class Counts:
    """The numbers of plays and calls so far: see `AppCredit.calls`."""

    plays: int = 0
    made: int = 0
    saved: int = 0
    other: int = 0
    models: int = 0
    without_cache: int = 0
    paid: int = 0


def going_on(enough: int) -> str:
    """Return how to go on after `CallsSpent`; 0 if it is unknown which `max_calls` suffices."""
    raised = f" to about {enough}" if enough else ""
    return f"repeat the command, which keeps them, or raise --max-calls{raised}"
