"""The figures of a bench, beside what they should be and must be, and how they are repeated."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import linear_regression
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Figure:
    """A measured figure; that of a peer has no goal.

    Attributes:
        what: the name of the figure.
        found: the measured value.
        unit: the unit of all values.
        goal: the value that it should reach; None for a peer.
        floor: the value that it must reach; None for a peer.
        at_least: whether larger values are better.
    """

    what: str
    found: float
    unit: str = ""
    goal: float | None = None
    floor: float | None = None
    at_least: bool = False

    def row(self) -> str:
        """Return a line of a Markdown table: name, figure, goal, floor and verdict."""
        bounds = [self._bound(self.goal), self._bound(self.floor)]
        cells = [self.what, f"{short(self.found)} {self.unit}".strip(), *bounds, self.verdict()]
        return f"|{'|'.join(f' {cell} ' if cell else '' for cell in cells)}|"

    def verdict(self) -> str:
        """Return `yes` if the goal is reached, `floor` if only the floor is, or `no`."""
        if self.goal is None or self.floor is None:
            return ""
        if self._reaches(self.goal):
            return "yes"
        return "floor" if self._reaches(self.floor) else "**no**"

    def _reaches(self, limit: float) -> bool:
        return self.found >= limit if self.at_least else self.found <= limit

    def _bound(self, limit: float | None) -> str:
        if limit is None:
            return ""
        return f"{'≥' if self.at_least else '≤'} {short(limit)} {self.unit}".strip()


def table(figures: Sequence[Figure]) -> str:
    """Return figures as a Markdown table."""
    head = ["| what | found | goal | floor | reached |", "|---|---:|---:|---:|---|"]
    return "\n".join([*head, *(figure.row() for figure in figures)])


def short(value: float) -> str:
    """Return a value with three significant digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def exponent(costs: Mapping[int, float]) -> float:
    """Return b of cost ∝ sizeᵇ, from size → cost: the slope of log cost over log size."""
    return linear_regression([*map(log, costs)], [*map(log, costs.values())]).slope


def in_turn(found: Mapping[str, list[T]], repeats: int) -> Iterator[tuple[str, list[T]]]:
    """Yield each name with its list of results: all once to warm up, then `repeats` times in turn.

    So a slow minute affects all of them. What is added to a list while warming up is dropped.
    """
    for name in found:
        yield name, []
    for _ in range(repeats):
        yield from found.items()
