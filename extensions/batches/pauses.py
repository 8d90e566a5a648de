"""How long to wait for letters, and between polls of a batch."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Pauses:
    """How long to wait for letters, and between polls of a batch, in seconds.

    Attributes:
        settled: how long to collect letters once all cells in play wait for an answer.
        gathered: how long to collect letters while some cells in play need no answer.
        first: the pause before the first poll of a batch; each later pause is 1.5 times longer.
        longest: the longest pause between two polls.
    """

    settled: float = 0.5
    gathered: float = 30.0
    first: float = 1.0
    longest: float = 60.0

    def growing(self) -> Iterator[float]:
        """Yield the growing pauses between polls, without end."""
        pause = self.first
        while True:
            yield pause
            pause = min(pause * 1.5, self.longest)


USUAL = Pauses()
