"""Axes of charts: their range and their ticks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

ROUNDING = 1e-5
"""Smaller differences come from rounding to millionths and are not shown."""


@dataclass(frozen=True)
class Axis:
    """An axis: its label and its range.

    Attributes:
        label: with the unit.
        low: the least value shown.
        high: the greatest.
    """

    label: str
    low: float
    high: float

    @classmethod
    def around(cls, label: str, values: Iterable[float], include: Sequence[float] = ()) -> "Axis":
        """An axis that shows all finite values, with a margin of 6 %."""
        finite = [x for x in [*values, *include] if isfinite(x)] or [0.0, 1.0]
        low, high = min(finite), max(finite)
        margin = (high - low if high - low > ROUNDING else max(abs(high), 1.0)) * 0.06
        return cls(label, low - margin, high + margin)

    def ticks(self) -> list[float]:
        """Round numbers between the ends, about five."""
        rough = (self.high - self.low) / 5
        power = 10.0 ** floor(log10(rough))
        step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
        first = ceil(self.low / step - 1e-9)
        count = floor(self.high / step + 1e-9) - first + 1
        return [round((first + i) * step, 12) for i in range(count)]

    def at(self, value: float, start: float, end: float) -> float:
        """The place of a value between two places of the picture."""
        return start + (value - self.low) / (self.high - self.low) * (end - start)
