"""How long letters and batches are waited for."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Pauses:
    """How long letters and batches are waited for, in seconds.

    Attributes:
        settled: for more letters, once every cell in flight waits for one.
        gathered: for more letters where some cells do not.
        first: before a batch is looked at; each next time half as long again.
        longest: between two looks.
    """

    settled: float = 0.5
    gathered: float = 30.0
    first: float = 1.0
    longest: float = 60.0

    def growing(self) -> Iterator[float]:
        """Yield the pauses between looks."""
        pause = self.first
        while True:
            yield pause
            pause = min(pause * 1.5, self.longest)


USUAL = Pauses()
