"""The tables of a benchmark's results: figures with ratios first, goals, and the machine."""

import os
import platform
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from math import log
from pathlib import Path
from statistics import linear_regression, median
from typing import Any

Cell = str | float | None
LIBRARIES = (
    *("langgraph", "langgraph-checkpoint-sqlite", "langgraph-checkpoint-postgres"),
    *("langchain-core", "langchain-openai", "openai", "aiohttp", "pydantic", "numpy"),
)


@dataclass(frozen=True)
class Goal:
    """A goal for a figure, with the measured figure.

    Attributes:
        what: the name of the figure.
        limit: the largest good value, or the smallest one if `at_least` is set.
        found: the measured value; None if it could not be measured.
        unit: the unit of all values.
        at_least: whether larger values are better.
        must: the limit that the figure may not miss; None if it equals `limit`.
    """

    what: str
    limit: float
    found: float | None
    unit: str = ""
    at_least: bool = False
    must: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None if the figure could not be measured."""
        return self._reaches(self.limit)

    def _reaches(self, limit: float) -> bool | None:
        if self.found is None:
            return None
        return self.found >= limit if self.at_least else self.found <= limit

    def row(self) -> list[Cell]:
        """Return the cells: name, limit, `must`, figure and verdict (see `VERDICTS`)."""
        least = self.limit if self.must is None else self.must
        found = "not measured" if self.found is None else f"{figure(self.found)} {self.unit}"
        short = "must" if self._reaches(least) else "**no**"
        verdict = {True: "yes", False: short, None: "—"}[self.met]
        return [self.what, self._bound(self.limit), self._bound(least), found.strip(), verdict]

    def words(self) -> str:
        """Return the row as a line of a list."""
        what, should, must, found, verdict = self.row()
        least = "" if must == should else f", must be {must}"
        return f"{what}: {found} (should be {should}{least}): {verdict}"

    def _bound(self, limit: float) -> str:
        return f"{'≥' if self.at_least else '≤'} {figure(limit)} {self.unit}".strip()


VERDICTS = "Verdicts: yes, the goal is met; must, only the limit; no, neither; —, not measured."
GOAL_COLUMNS = ("goal", "should be", "must be", "found", "met")


@dataclass(frozen=True)
class Found:
    """The result of one bench.

    Attributes:
        title: a line that says what was measured.
        columns: the columns' headings; the first column names the row, the second is a ratio.
        rows: a row for each contender.
        goals: the goals, with the figures found.
        notes: explanations, and reasons for missing figures.
    """

    title: str
    columns: tuple[str, ...]
    rows: list[list[Cell]]
    goals: list[Goal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def markdown(name: str, found: Found) -> str:
    """Return a bench's result as a Markdown section."""
    parts = [f"## {name}", found.title, table(found.columns, found.rows)]
    parts += ["\n".join(f"- {note}" for note in found.notes)] if found.notes else []
    return "\n\n".join(parts) + "\n"


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a Markdown table: names are aligned left, figures right."""
    lines = [columns, ["---", *("---:" for _ in columns[1:])]]
    lines += [[figure(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def figure(cell: Cell) -> str:
    """Return a figure with three significant digits; None becomes a dash."""
    if cell is None:
        return "—"
    if isinstance(cell, str):
        return cell
    if abs(cell) >= 100:
        return f"{cell:,.0f}"
    return f"{cell:.3g}"


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return b of cost ∝ sizeᵇ: the least-squares slope of log cost over log size."""
    return linear_regression([log(x) for x in sizes], [log(y) for y in costs]).slope


def timed(repeats: int, call: Callable[[], Any]) -> float:
    """Return the median wall time of a call, in seconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return median(times)


def machine() -> list[list[Cell]]:
    """Return rows that describe this machine: hardware, system and library versions."""
    named: list[list[Cell]] = [
        ["processor", f"{_processor()}, {os.cpu_count()} cores"],
        ["load when this was written", f"{os.getloadavg()[2]:.1f} processes (15 minutes' average)"],
        ["system", f"{platform.system()} {platform.release()}"],
        ["Python", platform.python_version()],
        ["SQLite", sqlite3.sqlite_version],
    ]
    return named + [[name, _version(name)] for name in LIBRARIES]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # only Linux has this file
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
